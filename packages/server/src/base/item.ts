import { JsonError, type JsonRules, pathText, readJson } from '../json/parse.js';
import { stringifyJson, writeJson } from '../json/stringify.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import type { Steps } from '../lib/time-slices.js';
import { badRequest } from '../request-error.js';
import { expiryAttribute, readExpiry } from './expiry.js';
import { generateKey, keyProblem } from './key.js';
import { maxItemBytes, maxItemDepth, maxValues } from './limits.js';

/** An item that obeys every rule, as it is stored. */
export interface Item {
  readonly key: string;
  /** Canonical JSON with its `key` in it. */
  readonly json: Buffer;
  /** From this second on, the item no longer exists (docs/http.md#expiry). */
  readonly expiresAtSeconds: number | undefined;
}

/** What is wrong with an item; the message begins with the path of the field. */
export class ItemError extends Error {
  override readonly name = 'ItemError';
}

/** A body has a few levels around an item: `{"items":[`, and one more for the check of the item to see. */
const levelsAroundItem = 8;
/** A body may write a byte of an item with at most six characters: `\u0061`. */
const charactersPerByte = 6;

const bodyRules: JsonRules = {
  maxDepth: maxItemDepth + levelsAroundItem,
  maxValues,
  maxStringCharacters: maxItemBytes * charactersPerByte,
  numbers: 'exact',
};

/**
 * The JSON of a request's body. Throws a 400 `RequestError` that says what is wrong with it: `describe` makes its
 * message from that of the parser.
 */
export function* readBody(
  body: Buffer,
  rules: Partial<JsonRules> = {},
  describe = (problem: string) => `body: ${problem}`,
): Steps<JsonValue> {
  try {
    return yield* readJson(body, { ...bodyRules, ...rules });
  } catch (cause) {
    if (cause instanceof JsonError) throw badRequest(describe(cause.message));
    throw cause;
  }
}

/**
 * An item of a parsed body, with a generated key if it has none. `place` is its path in the body (`items[3]`).
 * Throws `ItemError` for the first rule that it breaks.
 */
export function readItem(value: JsonValue | undefined, place: string, sourceBytes: number): Steps<Item> {
  if (!(value instanceof Map)) throw new ItemError(`${place}: must be an object`);
  return toItem(value.has('key') ? value : withKey(value), place, sourceBytes);
}

/**
 * The item as it is stored, if it obeys every rule (docs/http.md#items). `sourceBytes` is the size of the JSON that
 * `value` comes from: a small one is written at once. Throws `ItemError`.
 */
export function* toItem(value: JsonObject, place: string, sourceBytes: number): Steps<Item> {
  const key = value.get('key');
  if (typeof key !== 'string') throw new ItemError(`${place}.key: must be a string`);
  const rule = keyProblem(key);
  if (rule !== undefined) throw new ItemError(`${place}.key: ${rule}`);
  checkShape(value, [place], 1);
  const expiresAtSeconds = expiryOf(value, place);
  const isSmall = sourceBytes <= smallBytes;
  if (!isSmall) yield;
  const json = isSmall ? Buffer.from(stringifyJson(value)) : yield* writeJson(value);
  if (json.length > maxItemBytes) {
    throw new ItemError(`${place}: has ${json.length} bytes as JSON, at most ${maxItemBytes}`);
  }
  return { key, json, expiresAtSeconds };
}

/** JSON of this size is written in a fraction of a millisecond. */
const smallBytes = 16 * 1024;

/** Nesting and attribute names at every depth (docs/http.md#items). At most some milliseconds for the largest item. */
function checkShape(container: JsonObject | JsonValue[], path: (string | number)[], depth: number): void {
  if (depth > maxItemDepth) throw new ItemError(`${path[0]}: nested more than ${maxItemDepth} deep`);
  const members = Array.isArray(container) ? container.entries() : container;
  for (const [name, member] of members) {
    const isContainer = member instanceof Map || Array.isArray(member);
    if (!isContainer && name !== '') continue;
    path.push(name);
    if (name === '') throw new ItemError(`${pathText(path)}: an attribute name must not be empty`);
    if (isContainer) checkShape(member, path, depth + 1);
    path.pop();
  }
}

function expiryOf(value: JsonObject, place: string): number | undefined {
  const expiry = value.get(expiryAttribute);
  if (expiry === undefined) return undefined;
  const seconds = readExpiry(expiry);
  if (seconds === undefined) {
    throw new ItemError(`${place}.${expiryAttribute}: must be a number of whole seconds since 1970 UTC`);
  }
  return seconds;
}

/** A generated key is the item's first attribute (docs/http.md#items). */
function withKey(value: JsonObject): JsonObject {
  return new Map([['key', generateKey()], ...value]);
}
