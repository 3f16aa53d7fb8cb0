/**
 * JSON without the changes that JavaScript makes to it. A number keeps its text, so that it is returned as it was sent.
 * An object is a map, so that `__proto__` is a name like any other, and a name like `1` keeps its place.
 */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

export type JsonObject = Map<string, JsonValue>;

export class JsonNumber {
  constructor(
    /** Valid JSON, as it was sent: `1.0`, `-0`, `9007199254740993`. */
    readonly text: string,
  ) {}
}
