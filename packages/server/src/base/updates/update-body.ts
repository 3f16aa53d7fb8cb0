import { readExpiresIn } from '../../http/parameters/expires-in.js';
import { objectOf } from '../../http/requests/bodies/members.js';
import type { MemberOutline, Outline } from '../../json/outline.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField, type RequestError, refused } from '../../request-error.js';
import { parseAttributePath, shownPath } from '../items/attribute-path.js';
import { expiryAttribute } from '../items/expiry.js';
import { readBody } from '../items/item.js';
import { maxUpdatePaths } from '../limits.js';
import { type ItemCondition, readItemCondition } from '../query/item-condition.js';
import { conditionsOutline } from '../query/query-body.js';
import { changes, updateMembers } from '../schemas.js';

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
 * operation. `expires_in` counts from `nowSeconds`. Throws a 400 `RequestError` that names the member, the path and the
 * rule.
 */
export function* readUpdateBody(body: Buffer, nowSeconds: number): Steps<Update> {
  const value = objectOf(yield* readBody(body, { outline }));
  return yield* readUpdate(value, { bodyBytes: body.length, path: 'body', nowSeconds });
}

/** Where the JSON of an update is from. */
export interface UpdateSource {
  /** About how many bytes the JSON has. */
  readonly bodyBytes: number;
  /** The name of the object in messages. */
  readonly path: string;
  readonly nowSeconds: number;
}

/** Reads an update from parsed JSON. Throws a 400 `RequestError`. */
export function* readUpdate(value: JsonObject, { bodyBytes, path, nowSeconds }: UpdateSource): Steps<Update> {
  const condition = yield* readItemCondition(value.get('if') ?? null);
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
  if (operations.length === 0)
    throw refused('empty', `${path}: names no operation, must have one of ${memberList}`);
  yield* checkOverlap(operations);
  return { condition, operations, members, bodyBytes };
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

function tooManyPaths(kind: OperationKind): RequestError {
  return badField(kind, 'too_many', `an update may have ${maxUpdatePaths} paths in all`);
}
