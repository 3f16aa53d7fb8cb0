import { addNumbers } from '../../json/number.js';
import { readJson, writtenHere } from '../../json/parse.js';
import { writeJson } from '../../json/stringify.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { type BrokenRule, badField, broken } from '../../request-error.js';
import { listIndex, shownPath } from '../items/attribute-path.js';
import { type Item, toItem } from '../items/item.js';
import type { Operation, Update } from './update-body.js';
import { updateInText } from './update-in-text.js';

/** What a change is made to: a member of an object, or an element of a list. */
type Target =
  | { readonly parent: Map<string, JsonValue>; readonly name: string }
  | { readonly parent: JsonValue[]; readonly index: number };

const operationsPerStep = 64;
const tooManyDigits = 'the sum has more digits than a number may have, or is too large';

/**
 * Gives the item after the update (docs/http.md#update-item). The stored bytes are not changed. Throws a 400
 * `RequestError` that names the path and the rule.
 */
export function* applyUpdate(stored: Buffer, update: Update): Steps<Item> {
  return updateInText(stored, update) ?? (yield* applyToParsed(stored, update));
}

/** The same by parsing the item and writing it again, which takes every update. */
export function* applyToParsed(stored: Buffer, update: Update): Steps<Item> {
  const item = yield* readJson(stored, writtenHere);
  let changes = 0;
  for (const operation of update.operations) {
    if (operation.kind !== 'delete') change(item, operation);
    if (++changes % operationsPerStep === 0) yield;
  }
  yield* deleteAll(item, update.operations);
  return yield* toItem(item as JsonObject, 'item', stored.length + update.bodyBytes);
}

function change(item: JsonValue, operation: Operation): void {
  const { kind, path, segments, operand } = operation;
  const target = targetOf(item, segments);
  if (target === undefined) {
    const { code, rule } = missingParent(item, segments);
    throw badField(`${kind}.${shownPath(path)}`, code, rule);
  }
  write(target, changed(read(target), operation, operand));
}

function changed(present: JsonValue | undefined, operation: Operation, operand: JsonValue): JsonValue {
  const field = `${operation.kind}.${shownPath(operation.path)}`;
  switch (operation.kind) {
    case 'increment': {
      // A missing attribute counts as 0.
      if (present === undefined) return operand;
      if (!(present instanceof JsonNumber))
        throw badField(field, 'attribute_mismatch', 'the attribute is not a number');
      const sum = addNumbers(present, operand as JsonNumber);
      if (sum === undefined) throw badField(field, 'invalid_number', tooManyDigits);
      return sum;
    }
    case 'append':
    case 'prepend': {
      // A missing attribute becomes the list.
      if (present === undefined) return operand;
      if (!Array.isArray(present)) throw badField(field, 'attribute_mismatch', 'the attribute is not a list');
      const list = operand as JsonValue[];
      return operation.kind === 'append' ? [...present, ...list] : [...list, ...present];
    }
    default:
      return operand;
  }
}

/**
 * Finds what a change is made to. Gives undefined if the parent is missing, or is a list without such an element
 * (docs/http.md#refused-updates).
 */
function targetOf(item: JsonValue, segments: readonly string[]): Target | undefined {
  let parent: JsonValue | undefined = item;
  const end = segments.length - 1;
  for (let at = 0; at < end && parent !== undefined; at++) parent = child(parent, segments[at] as string);
  const last = segments[end] ?? '';
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

/**
 * Deletes the attributes. Elements of a list are removed last and together, because their indexes are those before the
 * update (docs/http.md#order-of-changes).
 */
function* deleteAll(item: JsonValue, operations: readonly Operation[]): Steps<void> {
  const elements = new Map<JsonValue[], Set<number>>();
  for (const [index, { kind, segments }] of operations.entries()) {
    if (index % operationsPerStep === operationsPerStep - 1) yield;
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

function missingParent(item: JsonValue, segments: readonly string[]): BrokenRule {
  const parents = segments.slice(0, -1);
  let value: JsonValue | undefined = item;
  for (const [depth, segment] of parents.entries()) {
    value = child(value, segment);
    const path = shownPath(parents.slice(0, depth + 1).join('.'));
    if (value === undefined) return broken('attribute_missing', `${path} does not exist`);
    if (!(value instanceof Map) && !Array.isArray(value))
      return broken('attribute_mismatch', `${path} is not an object`);
  }
  const list = shownPath(parents.join('.'));
  return broken('attribute_missing', `${list} is a list without such an element`);
}

/** The answer of Update Item: the key, and the members as they were sent (docs/http.md#update-item). */
export function updateAnswer(key: string, update: Update): Steps<Buffer> {
  return writeJson(new Map<string, JsonValue>([['key', key], ...update.members]));
}
