import { readExpiresIn } from '../../http/parameters/expires-in.js';
import { objectOf } from '../../http/requests/bodies/members.js';
import type { MemberOutline, Outline } from '../../json/outline.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField, type RequestError, refused } from '../../request-error.js';
import { parseAttributePath, shownPath } from '../items/attribute-path.js';
import { expiryAttribute } from '../items/expiry.js';
import { type Item, readBody, toItem } from '../items/item.js';
import { maxUpdatePaths } from '../limits.js';
import { type ItemCondition, readItemCondition } from '../query/item-condition.js';
import { conditionsOutline } from '../query/query-body.js';
import { changes, updateMembers } from '../schemas.js';
import { type Returned, readReturned } from './returned.js';

export type OperationKind = keyof typeof changes;

/** One change of one attribute. Its operand has the right type. */
export interface Operation {
  readonly kind: OperationKind;
  readonly path: string;
  readonly segments: readonly string[];
  /** The operand; null for `delete`. */
  readonly operand: JsonValue;
}

export interface Update {
  /** The condition that the item must match (docs/http.md#conditional-updates). */
  readonly condition: ItemCondition | undefined;
  /**
   * The changes. Their order does not matter: no two address the same attribute, or an attribute and one of its
   * ancestors.
   */
  readonly operations: readonly Operation[];
  /** The item that the changes are made to if there is none (docs/http.md#upsert). */
  readonly upsert: Item | undefined;
  /** Which item the update gives back (docs/http.md#returned-items). */
  readonly returns: Returned | undefined;
  /** The members of the request as they were sent. */
  readonly members: JsonObject;
  readonly bodyBytes: number;
}

const kinds = Object.keys(changes) as readonly OperationKind[];
const expiresInMember = 'expires_in';
const memberList = Object.keys(updateMembers).join(', ');
const operationsPerStep = 16;
/**
 * A path with more characters than this is followed by a pause. Each prefix of a path is looked up, which takes time
 * proportional to its length.
 */
const longPath = 4096;

/** What is known of the members of an update before they are read. */
export const changesOutline: readonly [string, MemberOutline][] = kinds.map((kind) => [
  kind,
  { most: maxUpdatePaths, problem: () => tooManyPaths(kind) },
]);

const outline: Outline = { members: new Map([...changesOutline, ['if', conditionsOutline('if')]]) };

/**
 * Reads the body of Update Item (docs/http.md#update-item). Each member is optional, but the body needs at least one
 * operation, or `upsert`. `expires_in` counts from `nowSeconds`, `key` is that of the item. Throws a 400 `RequestError`
 * that names the member, the path and the rule.
 */
export function* readUpdateBody(body: Buffer, nowSeconds: number, key: string): Steps<Update> {
  const value = objectOf(yield* readBody(body, { outline }));
  return yield* readUpdate(value, { bodyBytes: body.length, path: 'body', nowSeconds, key });
}

/** Where the JSON of an update is from. */
export interface UpdateSource {
  /** About how many bytes the JSON has. */
  readonly bodyBytes: number;
  /** The name of the object in messages. */
  readonly path: string;
  readonly nowSeconds: number;
  /** The key of the item; absent if the update is of several items. */
  readonly key?: string;
}

/** Reads an update from parsed JSON. Throws a 400 `RequestError`. */
export function* readUpdate(value: JsonObject, source: UpdateSource): Steps<Update> {
  const { bodyBytes, path, nowSeconds } = source;
  const condition = yield* readItemCondition(value.get('if') ?? null);
  const within = path === 'body' ? '' : `${path}.`;
  const returns = readReturned(value.get('return') ?? null, `${within}return`);
  const upsert = yield* readUpsert(value.get('upsert') ?? null, `${within}upsert`, source);
  const members: JsonObject = new Map();
  const operations: Operation[] = [];
  for (const kind of kinds) {
    const member = value.get(kind);
    if (member === undefined) continue;
    members.set(kind, member);
    if (member === null) continue;
    const asked = kind === 'delete' ? pathsOf(member) : changesOf(kind, member);
    if (operations.length + asked.length > maxUpdatePaths) {
      throw tooManyPaths(kind);
    }
    for (const [path, operand] of asked) {
      operations.push(operationOf(kind, path, operand));
      if (operations.length % operationsPerStep === 0) yield;
    }
  }
  const expiresIn = readExpiresIn(value.get(expiresInMember) ?? undefined);
  if (expiresIn !== undefined) {
    const operand = new JsonNumber(String(nowSeconds + expiresIn));
    members.set(expiresInMember, value.get(expiresInMember) as JsonValue);
    operations.push(operationOf('set', expiryAttribute, operand));
  }
  if (operations.length === 0 && upsert === undefined) throw nothingToDo(path);
  yield* checkOverlap(operations);
  return { condition, operations, upsert, returns, members, bodyBytes };
}

/** The item to begin with. It has the key of the update, whether it says so or not. */
function* readUpsert(
  upsert: JsonValue,
  path: string,
  { bodyBytes, key }: UpdateSource,
): Steps<Item | undefined> {
  if (upsert === null) return undefined;
  if (key === undefined) throw badField(path, 'not_allowed', 'belongs to the update of one item');
  if (!(upsert instanceof Map)) throw badField(path, 'wrong_type', 'must be an object');
  const own = upsert.get('key');
  if (own !== undefined && own !== key)
    throw badField(`${path}.key`, 'contradiction', 'must be the key of the update, or absent');
  const item = own === undefined ? new Map<string, JsonValue>([['key', key], ...upsert]) : upsert;
  return yield* toItem(item, path, bodyBytes);
}

type PathChange = readonly [path: string, operand: JsonValue];

function changesOf(kind: OperationKind, member: JsonValue): readonly PathChange[] {
  if (!(member instanceof Map)) throw badField(kind, 'wrong_type', 'must be an object of attribute paths');
  return [...member];
}

function pathsOf(member: JsonValue): readonly PathChange[] {
  if (!Array.isArray(member)) throw badField('delete', 'wrong_type', 'must be a list of attribute paths');
  return member.map((path, index) => {
    if (typeof path !== 'string')
      throw badField(`delete[${index}]`, 'wrong_type', 'must be an attribute path');
    return [path, null];
  });
}

function operationOf(kind: OperationKind, path: string, operand: JsonValue): Operation {
  const field = `${kind}.${shownPath(path)}`;
  if (kind === 'increment' && !(operand instanceof JsonNumber))
    throw badField(field, 'wrong_type', 'must be a number');
  if ((kind === 'append' || kind === 'prepend') && !Array.isArray(operand)) {
    throw badField(field, 'wrong_type', 'must be a list');
  }
  const segments = parseAttributePath(path);
  if ('problem' in segments) {
    const { code, rule } = segments.problem;
    throw badField(kind, code, `the path ${JSON.stringify(shownPath(path))} ${rule}`);
  }
  if (path === 'key') throw badField(`${kind}.key`, 'not_allowed', 'the key of an item cannot be changed');
  return { kind, path, segments, operand };
}

/** Checks that no path occurs twice, or together with one of its ancestors (docs/http.md#refused-updates). */
function* checkOverlap(operations: readonly Operation[]): Steps<void> {
  const paths = new Set<string>();
  for (const { kind, path } of operations) {
    if (paths.has(path)) throw badField(`${kind}.${shownPath(path)}`, 'duplicate', 'the path is named twice');
    paths.add(path);
  }
  let checked = 0;
  for (const { kind, path } of operations) {
    for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
      const ancestor = path.slice(0, dot);
      if (paths.has(ancestor)) {
        const rule = `its ancestor ${shownPath(ancestor)} is named too`;
        throw badField(`${kind}.${shownPath(path)}`, 'contradiction', rule);
      }
    }
    if (++checked % operationsPerStep === 0 || path.length > longPath) yield;
  }
}

function nothingToDo(path: string): RequestError {
  const rule = `names no operation, must have one of ${memberList}`;
  return path === 'body' ? refused('empty', `${path}: ${rule}`) : badField(path, 'empty', rule);
}

function tooManyPaths(kind: OperationKind): RequestError {
  return badField(kind, 'too_many', `an update may have ${maxUpdatePaths} paths in all`);
}
