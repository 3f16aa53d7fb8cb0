import { addNumbers } from '../json/number.js';
import { parseJson } from '../json/parse.js';
import { stringifyJson } from '../json/stringify.js';
import { JsonNumber, type JsonValue } from '../json/value.js';
import { badRequest } from '../request-error.js';
import { listIndex } from './attribute-path.js';
import { type Item, ItemError, toItem } from './item.js';
import { maxBodyDepth } from './limits.js';
import type { Operation, Update } from './update-body.js';

/** Where an operation takes place: a member of an object, or an element of a list. */
type Target =
  | { readonly parent: Map<string, JsonValue>; readonly name: string }
  | { readonly parent: JsonValue[]; readonly index: number };

/**
 * The item after the update: all of it, or a 400 `RequestError` that names the path and the rule. The stored
 * bytes are left as they are.
 */
export function applyUpdate(stored: Buffer, update: Update): Item {
  const item = parseJson(stored, maxBodyDepth);
  for (const operation of update.operations) {
    if (operation.kind !== 'delete') change(item, operation);
  }
  deleteAll(item, update.operations);
  try {
    return toItem(item as Map<string, JsonValue>, 'item');
  } catch (cause) {
    if (cause instanceof ItemError) throw badRequest(cause.message);
    throw cause;
  }
}

function change(item: JsonValue, operation: Operation): void {
  const { kind, path, segments, operand } = operation;
  const target = targetOf(item, segments);
  if (target === undefined) throw badRequest(`${kind}.${path}: ${missingParent(item, segments)}`);
  write(target, changed(read(target), operation, operand));
}

function changed(present: JsonValue | undefined, operation: Operation, operand: JsonValue): JsonValue {
  const field = `${operation.kind}.${operation.path}`;
  switch (operation.kind) {
    case 'increment': {
      // "a missing attribute counts as 0"
      if (present === undefined) return operand;
      if (!(present instanceof JsonNumber)) throw badRequest(`${field}: the attribute is not a number`);
      const sum = addNumbers(present, operand as JsonNumber);
      if (sum === undefined) throw badRequest(`${field}: the sum has more than 16 digits or is too large`);
      return sum;
    }
    case 'append':
    case 'prepend': {
      // "a missing attribute becomes the list"
      if (present === undefined) return operand;
      if (!Array.isArray(present)) throw badRequest(`${field}: the attribute is not a list`);
      const list = operand as JsonValue[];
      return operation.kind === 'append' ? [...present, ...list] : [...list, ...present];
    }
    default:
      return operand;
  }
}

/** "`a.b` must exist and be an object; a numeric segment addresses an existing element of a list" */
function targetOf(item: JsonValue, segments: readonly string[]): Target | undefined {
  let parent: JsonValue | undefined = item;
  for (const segment of segments.slice(0, -1)) parent = child(parent, segment);
  const last = segments.at(-1) ?? '';
  if (parent instanceof Map) return { parent, name: last };
  const index = listIndex(last);
  if (!Array.isArray(parent) || index === undefined || index >= parent.length) return undefined;
  return { parent, index };
}

function child(value: JsonValue | undefined, segment: string): JsonValue | undefined {
  if (value instanceof Map) return value.get(segment);
  const index = listIndex(segment);
  return Array.isArray(value) && index !== undefined ? value[index] : undefined;
}

function read(target: Target): JsonValue | undefined {
  return 'name' in target ? target.parent.get(target.name) : target.parent[target.index];
}

function write(target: Target, value: JsonValue): void {
  if ('name' in target) target.parent.set(target.name, value);
  else target.parent[target.index] = value;
}

/** "delete: a missing attribute is no error". Elements of a list go last, all at once: indexes mean those before. */
function deleteAll(item: JsonValue, operations: readonly Operation[]): void {
  const elements = new Map<JsonValue[], Set<number>>();
  for (const { kind, segments } of operations) {
    if (kind !== 'delete') continue;
    const target = targetOf(item, segments);
    if (target === undefined) continue;
    if ('name' in target) {
      target.parent.delete(target.name);
    } else {
      const indexes = elements.get(target.parent);
      if (indexes === undefined) elements.set(target.parent, new Set([target.index]));
      else indexes.add(target.index);
    }
  }
  for (const [list, indexes] of elements) {
    let kept = 0;
    for (const [index, element] of list.entries()) if (!indexes.has(index)) list[kept++] = element;
    list.length = kept;
  }
}

function missingParent(item: JsonValue, segments: readonly string[]): string {
  const parents = segments.slice(0, -1);
  let value: JsonValue | undefined = item;
  for (const [depth, segment] of parents.entries()) {
    value = child(value, segment);
    const path = parents.slice(0, depth + 1).join('.');
    if (value === undefined) return `${path} does not exist`;
    if (!(value instanceof Map) && !Array.isArray(value)) return `${path} is not an object`;
  }
  return `${parents.join('.')} is a list without such an element`;
}

/** "the members that the request had, as it had them" */
export function updateAnswer(key: string, update: Update): string {
  return stringifyJson(new Map<string, JsonValue>([['key', key], ...update.members]));
}
