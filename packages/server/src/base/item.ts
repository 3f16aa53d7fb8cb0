import { JsonError, parseJson } from '../json/parse.js';
import { pathText } from '../json/path-text.js';
import { stringifyJson } from '../json/stringify.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import { badRequest } from '../request-error.js';
import { expiryAttribute, readExpiry } from './expiry.js';
import { generateKey, keyProblem } from './key.js';
import { maxItemBytes, maxItemDepth } from './limits.js';

/** An item that obeys every rule, as it is stored. */
export interface Item {
  readonly key: string;
  /** Canonical JSON with its `key` in it. */
  readonly json: Buffer;
  /** From this second on it is gone. */
  readonly expiresAtSeconds: number | undefined;
}

/** What is wrong with an item; the message begins with the path of the field. */
export class ItemError extends Error {
  override readonly name = 'ItemError';
}

/** The JSON of a request's body. Throws a 400 `RequestError` that says what is wrong with it. */
export function parseBody(body: Buffer, maxDepth: number): JsonValue {
  try {
    return parseJson(body, maxDepth);
  } catch (cause) {
    if (cause instanceof JsonError) throw badRequest(`body: ${cause.message}`);
    throw cause;
  }
}

/**
 * An item of a parsed body, with a key of its own when it has none. `place` is where it stands (`items[3]`).
 * Throws `ItemError` for the first rule that it breaks.
 */
export function readItem(value: JsonValue | undefined, place: string): Item {
  if (!(value instanceof Map)) throw new ItemError(`${place}: must be an object`);
  return toItem(value.has('key') ? value : withKey(value), place);
}

/** The item as it is stored, when it obeys every rule. */
export function toItem(value: JsonObject, place: string): Item {
  const key = value.get('key');
  if (typeof key !== 'string') throw new ItemError(`${place}.key: must be a string`);
  const rule = keyProblem(key);
  if (rule !== undefined) throw new ItemError(`${place}.key: ${rule}`);
  checkShape(value, [place], 1);
  const expiresAtSeconds = expiryOf(value, place);
  const json = Buffer.from(stringifyJson(value));
  if (json.length > maxItemBytes) {
    throw new ItemError(`${place}: has ${json.length} bytes as JSON, at most ${maxItemBytes}`);
  }
  return { key, json, expiresAtSeconds };
}

/** "nested at most 100 deep; attribute names non-empty at every depth" */
function checkShape(value: JsonValue, path: (string | number)[], depth: number): void {
  if (!(value instanceof Map) && !Array.isArray(value)) return;
  if (depth > maxItemDepth) throw new ItemError(`${path[0]}: nested more than ${maxItemDepth} deep`);
  for (const [name, member] of value.entries()) {
    path.push(name);
    if (name === '') throw new ItemError(`${pathText(path)}: an attribute name must not be empty`);
    checkShape(member, path, depth + 1);
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

/** "when absent a random key is generated": it stands first. */
function withKey(value: JsonObject): JsonObject {
  return new Map([['key', generateKey()], ...value]);
}
