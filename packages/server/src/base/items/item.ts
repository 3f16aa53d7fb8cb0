import { maxDueSeconds, type Put } from '../../engines/item-store.js';
import { parseBody, textOf, typeFault } from '../../http/requests/bodies/members.js';
import { type JsonRules, pathText } from '../../json/parse.js';
import { stringifyJson, writeJson } from '../../json/stringify.js';
import type { JsonObject, JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField } from '../../request-error.js';
import { maxItemBytes, maxItemDepth, maxValues } from '../limits.js';
import { expiryAttribute, readExpiry, withExpiry } from './expiry.js';
import { generateKey, keyProblem } from './key.js';

/** An item that obeys every rule, as it is stored. */
export interface Item {
  readonly key: string;
  /** Whether the item was sent without a key. */
  readonly isKeyGenerated: boolean;
  /** The item as canonical JSON, including its `key`. */
  readonly json: Buffer;
  /**
   * The second from which on the item does not exist, since 1970 UTC (docs/http.md#expiry); undefined if it does not
   * expire.
   */
  readonly expiresAtSeconds: number | undefined;
}

/**
 * The number of levels that a body may have around an item, `{"items":[`, and one more: the item's own check must see a
 * level too many.
 */
const levelsAroundItem = 8;
/** The maximum number of characters that a body needs for one byte of an item: `\u0061`. */
const charactersPerByte = 6;

const bodyRules: JsonRules = {
  maxDepth: maxItemDepth + levelsAroundItem,
  maxValues,
  maxStringCharacters: maxItemBytes * charactersPerByte,
  numbers: 'exact',
};

/** Parses the JSON of a request body. Throws a 400 `RequestError`; `describe` makes its message from the parser's. */
export function readBody(
  body: Buffer,
  rules: Partial<JsonRules> = {},
  describe?: (problem: string) => string,
): Steps<JsonValue> {
  return parseBody(body, { ...bodyRules, ...rules }, describe);
}

/**
 * Reads an item of a parsed body, and generates a key if it has none. `path` is the item's path in the body
 * (`items[3]`). Throws a 400 `RequestError` for the first rule that the item breaks.
 */
export function* readItem(value: JsonValue | undefined, path: string, sourceBytes: number): Steps<Item> {
  if (!(value instanceof Map)) throw badField(path, typeFault(value), 'must be an object');
  if (value.has('key')) return yield* toItem(value, path, sourceBytes);
  return { ...(yield* toItem(withKey(value), path, sourceBytes)), isKeyGenerated: true };
}

/**
 * Checks an item and gives it as it is stored (docs/http.md#items). `sourceBytes` is the size of the JSON that `value`
 * was parsed from; a small item is written in one step. Throws a 400 `RequestError`.
 */
export function* toItem(value: JsonObject, path: string, sourceBytes: number): Steps<Item> {
  const key = textOf(value.get('key'), `${path}.key`, keyProblem);
  checkShape(value, [path], 1);
  const expiresAtSeconds = expiryOf(value, path);
  const isSmall = sourceBytes <= smallBytes;
  if (!isSmall) yield;
  const json = isSmall ? Buffer.from(stringifyJson(value)) : yield* writeJson(value);
  checkSize(json, path);
  return { key, isKeyGenerated: false, json, expiresAtSeconds };
}

/** The item with another `__expires`, or with one. Throws a 400 `RequestError` if that makes it too large. */
export function expiring(item: Item, expiresAtSeconds: number, path: string): Item {
  const json = withExpiry(item.json, expiresAtSeconds);
  checkSize(json, path);
  return { ...item, json, expiresAtSeconds };
}

function checkSize({ length }: Buffer, path: string): void {
  if (length > maxItemBytes) {
    throw badField(path, 'too_large', `has ${length} bytes as JSON, at most ${maxItemBytes}`);
  }
}

/** JSON of this size takes a fraction of a millisecond to write. */
const smallBytes = 16 * 1024;

/**
 * Checks the nesting, and the attribute names at every depth (docs/http.md#items). The largest item takes a few
 * milliseconds.
 */
function checkShape(container: JsonObject | JsonValue[], path: (string | number)[], depth: number): void {
  if (depth > maxItemDepth)
    throw badField(String(path[0]), 'too_deep', `nested more than ${maxItemDepth} deep`);
  const members = Array.isArray(container) ? container.entries() : container;
  for (const [name, member] of members) {
    const isContainer = member instanceof Map || Array.isArray(member);
    if (!isContainer && name !== '') continue;
    path.push(name);
    if (name === '') throw badField(pathText(path), 'empty', 'an attribute name must not be empty');
    if (isContainer) checkShape(member, path, depth + 1);
    path.pop();
  }
}

function expiryOf(value: JsonObject, path: string): number | undefined {
  const expiry = value.get(expiryAttribute);
  if (expiry === undefined) return undefined;
  const seconds = readExpiry(expiry);
  if (seconds !== undefined) return seconds;
  const rule = 'must be a number of whole seconds since 1970 UTC';
  throw badField(`${path}.${expiryAttribute}`, 'invalid_value', rule);
}

/** Adds a generated key as the item's first attribute (docs/http.md#items). */
function withKey(value: JsonObject): JsonObject {
  return new Map([['key', generateKey()], ...value]);
}

/**
 * Gives the item's row, due at the second of its expiry. A row has no due time if that second is too large for an
 * engine.
 */
export function rowOf(item: Item): Put {
  const { key, json: value, expiresAtSeconds } = item;
  return expiresAtSeconds === undefined || expiresAtSeconds > maxDueSeconds
    ? { key, value }
    : { key, value, dueSeconds: Math.max(0, expiresAtSeconds) };
}
