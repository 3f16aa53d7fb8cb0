import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField, RequestError } from '../../request-error.js';
import type { Item } from '../items/item.js';
import { itemDiffers, itemExists, itemNotFound } from '../items/item-errors.js';
import { maxTransactionBytes } from '../limits.js';
import type { ItemCondition } from '../query/item-condition.js';
import type { Returned } from '../updates/returned.js';
import { applyUpdate } from '../updates/update.js';
import type { Update } from '../updates/update-body.js';

/** One operation of a transaction (docs/http.md#transactions). */
export type TransactionOperation =
  | {
      readonly kind: 'put' | 'insert';
      readonly key: string;
      readonly item: Item;
      /** Present: the result is what was there before. */
      readonly returns?: 'old' | undefined;
    }
  | { readonly kind: 'update'; readonly key: string; readonly update: Update }
  | {
      readonly kind: 'delete' | 'check';
      readonly key: string;
      /** The condition; undefined for a delete without one, and for a check that no item exists. */
      readonly condition: ItemCondition | undefined;
      /** Of a delete: its result also has what was there before. */
      readonly returns?: 'old' | undefined;
    };

/** An operation and its index in the transaction. */
export interface NumberedOperation {
  readonly index: number;
  readonly operation: TransactionOperation;
}

/** The outcome of the operations on one item. */
export interface ItemOutcome {
  /** The item after the operations; undefined if they do not change it. */
  readonly change: Item | 'deleted' | undefined;
  /** What operations give back. */
  readonly items: ReturnedItems;
  /** The first operation that fails. */
  readonly failure: Failure | undefined;
}

/** The items that operations give back, by their indexes; undefined if there is none. */
export type ReturnedItems = ReadonlyMap<number, Buffer | undefined>;

export const nothingReturned: ReturnedItems = new Map();

export interface Failure {
  readonly index: number;
  readonly error: RequestError;
}

/** Which item an operation gives back: as it was before, or as it is after. */
function returnsOf(operation: TransactionOperation): Returned | undefined {
  return 'update' in operation ? operation.update.returns : operation.returns;
}

/** The number of conditions of an operation. */
export function conditionsOf(operation: TransactionOperation): number {
  return conditionOf(operation)?.conditions ?? 0;
}

function conditionOf(operation: TransactionOperation): ItemCondition | undefined {
  if ('item' in operation) return undefined;
  return 'update' in operation ? operation.update.condition : operation.condition;
}

/** Whether an operation depends on the stored item. */
export function readsItem(operation: TransactionOperation): boolean {
  if (operation.kind === 'put') return operation.returns !== undefined;
  return operation.kind !== 'delete' || operation.condition !== undefined || operation.returns !== undefined;
}

/** Evaluating this many conditions on a text takes about as long as parsing it. */
const conditionsPerParse = 20;

/** Estimates the cost of the operations on an item of `storedBytes`, in bytes that are parsed and written. */
export function costOf(storedBytes: number, operations: readonly NumberedOperation[]): number {
  let bytes = storedBytes;
  let cost = 0;
  for (const { operation } of operations) {
    if ('item' in operation) {
      bytes = operation.item.json.length;
      continue;
    }
    const { conditions = 0, operandBytes = 0 } = conditionOf(operation) ?? {};
    cost += (bytes * conditions) / conditionsPerParse + operandBytes;
    if ('update' in operation) cost += bytes + operation.update.bodyBytes;
  }
  return cost;
}

/** Gives the row unless it is missing or its item has expired. */
export type Alive = (row: Buffer | undefined) => Buffer | undefined;

/**
 * Runs the operations on one item in their order. Each sees the item as the operations before it left it. `stored` is
 * the item, or undefined if there is none; its bytes are not changed.
 */
export function* applyToItem(
  stored: Buffer | undefined,
  operations: readonly NumberedOperation[],
  alive: Alive,
): Steps<ItemOutcome> {
  let item = stored;
  let change: ItemOutcome['change'];
  let items: Map<number, Buffer | undefined> | undefined;
  let bytes = 0;
  for (const { index, operation } of operations) {
    let next: ItemOutcome['change'];
    try {
      next = yield* applyOne(item, operation);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return { change: undefined, items: nothingReturned, failure: { index, error } };
    }
    const returns = returnsOf(operation);
    if (returns !== undefined) {
      items ??= new Map();
      const given = returns === 'old' || next === undefined ? item : bytesOf(next);
      bytes += given?.length ?? 0;
      if (bytes > maxTransactionBytes) throw returnedTooLarge();
      items.set(index, given);
    }
    if (next === undefined) continue;
    change = next;
    item = next === 'deleted' ? undefined : alive(next.json);
    // A pause is only useful between two operations; most items have one.
    if (operations.length > 1) yield;
  }
  return { change, items: items ?? nothingReturned, failure: undefined };
}

/** What a transaction gives back, most often nothing. Throws a 400 `RequestError` if it is too large. */
export function returnedBy(outcomes: readonly ItemOutcome[]): ReturnedItems {
  let items = nothingReturned;
  for (const { items: more } of outcomes) {
    if (more.size > 0) items = items.size === 0 ? more : new Map([...items, ...more]);
  }
  let bytes = 0;
  for (const item of items.values()) bytes += item?.length ?? 0;
  if (bytes > maxTransactionBytes) throw returnedTooLarge();
  return items;
}

function returnedTooLarge(): RequestError {
  const rule = `the items that they return have more than ${maxTransactionBytes} bytes together`;
  return badField('operations', 'too_large', rule);
}

function bytesOf(next: Item | 'deleted'): Buffer | undefined {
  return next === 'deleted' ? undefined : next.json;
}

/**
 * Gives the item after one operation, or undefined if the operation does not change it. Throws the `RequestError` of an
 * operation that fails.
 */
function* applyOne(item: Buffer | undefined, operation: TransactionOperation): Steps<ItemOutcome['change']> {
  switch (operation.kind) {
    case 'put':
      return operation.item;
    case 'insert':
      if (item !== undefined) throw itemExists();
      return operation.item;
    case 'update': {
      const { update } = operation;
      const { upsert } = update;
      if (item === undefined) {
        if (upsert === undefined) throw itemNotFound();
        return update.operations.length === 0 ? upsert : yield* applyUpdate(upsert.json, update);
      }
      if (update.condition !== undefined) yield* expectMatch(item, update.condition);
      return update.operations.length === 0 ? undefined : yield* applyUpdate(item, update);
    }
    case 'delete':
      if (operation.condition !== undefined) yield* expectMatch(item, operation.condition);
      return 'deleted';
    case 'check':
      if (operation.condition !== undefined) yield* expectMatch(item, operation.condition);
      else if (item !== undefined) throw itemDiffers();
      return undefined;
  }
}

function* expectMatch(item: Buffer | undefined, condition: ItemCondition): Steps<void> {
  const isMatch = item !== undefined && (yield* condition.matches(item.toString()));
  if (!isMatch) throw itemDiffers();
}
