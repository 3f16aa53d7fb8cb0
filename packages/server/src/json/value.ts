/**
 * JSON as it is, and not as JavaScript would have it: a number keeps the text that it came as, so the number
 * that comes back is the one that went in; an object is a map, so that `__proto__` is a name like any other
 * and names like `1` stay where they stood.
 */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

export type JsonObject = Map<string, JsonValue>;

export class JsonNumber {
  constructor(
    /** Valid JSON, as it came: `1.0`, `-0`, `9007199254740993`. */
    readonly text: string,
  ) {}
}
