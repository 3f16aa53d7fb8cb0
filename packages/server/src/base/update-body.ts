import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.js';
import { badRequest } from '../request-error.js';
import { parseAttributePath } from './attribute-path.js';
import { parseBody } from './item.js';
import { maxBodyDepth } from './limits.js';

export type OperationKind = 'set' | 'increment' | 'append' | 'prepend' | 'delete';

/** One change of one attribute; its operand is of the right type. */
export interface Operation {
  readonly kind: OperationKind;
  readonly path: string;
  readonly segments: readonly string[];
  /** null for `delete`. */
  readonly operand: JsonValue;
}

export interface Update {
  /** No two of them touch one attribute, or an attribute and what it lies in: their order does not matter. */
  readonly operations: readonly Operation[];
  /** The members of the request, as it had them. */
  readonly members: JsonObject;
}

const kinds: readonly OperationKind[] = ['set', 'increment', 'append', 'prepend', 'delete'];

/**
 * The body of Update Item: "all members optional", empty and `null` ones too, but one operation at least.
 * Throws a 400 `RequestError` that names the member, the path and the rule.
 */
export function readUpdateBody(body: Buffer): Update {
  const value = parseBody(body, maxBodyDepth);
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  const members: JsonObject = new Map();
  const operations: Operation[] = [];
  for (const kind of kinds) {
    const member = value.get(kind);
    if (member === undefined) continue;
    members.set(kind, member);
    if (member === null) continue;
    // Not spread as arguments: there may be more than a call takes.
    for (const operation of kind === 'delete' ? deletesOf(member) : changesOf(kind, member)) {
      operations.push(operation);
    }
  }
  if (operations.length === 0)
    throw badRequest(`body: names no operation, must have one of ${kinds.join(', ')}`);
  checkOverlap(operations);
  return { operations, members };
}

function changesOf(kind: OperationKind, member: JsonValue): Operation[] {
  if (!(member instanceof Map)) throw badRequest(`${kind}: must be an object of attribute paths`);
  return Array.from(member, ([path, operand]) => {
    if (kind === 'increment' && !(operand instanceof JsonNumber)) {
      throw badRequest(`increment.${path}: must be a number`);
    }
    if ((kind === 'append' || kind === 'prepend') && !Array.isArray(operand)) {
      throw badRequest(`${kind}.${path}: must be a list`);
    }
    return operationOf(kind, path, operand);
  });
}

function deletesOf(member: JsonValue): Operation[] {
  if (!Array.isArray(member)) throw badRequest('delete: must be a list of attribute paths');
  return member.map((path, index) => {
    if (typeof path !== 'string') throw badRequest(`delete[${index}]: must be an attribute path`);
    return operationOf('delete', path, null);
  });
}

function operationOf(kind: OperationKind, path: string, operand: JsonValue): Operation {
  const segments = parseAttributePath(path);
  if (segments === undefined)
    throw badRequest(`${kind}: the path ${JSON.stringify(path)} has an empty segment`);
  // "any path that is `key` → 400"
  if (path === 'key') throw badRequest(`${kind}.key: the key of an item cannot be changed`);
  return { kind, path, segments, operand };
}

/** "the same path, or a path and its ancestor, named twice across members → 400" */
function checkOverlap(operations: readonly Operation[]): void {
  const paths = new Set<string>();
  for (const { kind, path } of operations) {
    if (paths.has(path)) throw badRequest(`${kind}.${path}: the path is named twice`);
    paths.add(path);
  }
  for (const { kind, path, segments } of operations) {
    let ancestor = '';
    for (const segment of segments.slice(0, -1)) {
      ancestor = ancestor === '' ? segment : `${ancestor}.${segment}`;
      if (paths.has(ancestor)) throw badRequest(`${kind}.${path}: its ancestor ${ancestor} is named too`);
    }
  }
}
