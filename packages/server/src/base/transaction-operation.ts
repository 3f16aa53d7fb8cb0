import type { Steps } from '../lib/time-slices.js';
import { conflict, notFound, preconditionFailed, RequestError } from '../request-error.js';
import type { Item } from './item.js';
import type { ItemCondition } from './query/item-condition.js';
import { applyUpdate } from './update.js';
import type { Update } from './update-body.js';

/** One operation of a transaction (docs/http.md#transactions). */
export type TransactionOperation =
  | { readonly kind: 'put' | 'insert'; readonly key: string; readonly item: Item }
  | { readonly kind: 'update'; readonly key: string; readonly update: Update }
  | {
      readonly kind: 'delete' | 'check';
      readonly key: string;
      /** Undefined: a delete has none, and a check wants that there is no item. */
      readonly condition: ItemCondition | undefined;
    };

/** An operation and its index in the transaction. */
export interface PlacedOperation {
  readonly index: number;
  readonly operation: TransactionOperation;
}

/** What the operations on one item come to. */
export interface ItemOutcome {
  /** The item as they leave it; `undefined`: as it was. */
  readonly change: Item | 'deleted' | undefined;
  /** The first of them that fails. */
  readonly failure: Failure | undefined;
}

export interface Failure {
  readonly index: number;
  readonly error: RequestError;
}

const noMatch = 'The item does not match the condition';

/** How many conditions an operation has. */
export function conditionsOf(operation: TransactionOperation): number {
  if ('item' in operation) return 0;
  const condition = 'update' in operation ? operation.update.condition : operation.condition;
  return condition?.conditions ?? 0;
}

/** Whether an operation asks what is stored. */
export function readsItem(operation: TransactionOperation): boolean {
  return operation.kind !== 'put' && (operation.kind !== 'delete' || operation.condition !== undefined);
}

/** So many conditions on a text take about as long as parsing it. */
const conditionsPerParse = 20;

/** What the operations on one item of `storedBytes` cost, in bytes that are parsed and written. */
export function costOf(storedBytes: number, operations: readonly PlacedOperation[]): number {
  let bytes = storedBytes;
  let cost = 0;
  for (const { operation } of operations) {
    if ('item' in operation) {
      bytes = operation.item.json.length;
      continue;
    }
    cost += (bytes * conditionsOf(operation)) / conditionsPerParse;
    if ('update' in operation) cost += bytes + operation.update.bodyBytes;
  }
  return cost;
}

/** The row unless its item has expired. */
export type Alive = (row: Buffer | undefined) => Buffer | undefined;

/**
 * Does the operations on one item in their order, each over what those before it left. `stored` is the item, or
 * undefined if there is none; its bytes are not changed.
 */
export function* applyToItem(
  stored: Buffer | undefined,
  operations: readonly PlacedOperation[],
  alive: Alive,
): Steps<ItemOutcome> {
  let item = stored;
  let change: ItemOutcome['change'];
  for (const { index, operation } of operations) {
    try {
      const next = yield* applyOne(item, operation);
      if (next === undefined) continue;
      change = next;
      item = next === 'deleted' ? undefined : alive(next.json);
    } catch (error) {
      if (error instanceof RequestError) return { change: undefined, failure: { index, error } };
      throw error;
    }
    // Between two: most have one only.
    if (operations.length > 1) yield;
  }
  return { change, failure: undefined };
}

/** The item after one operation; undefined: as before. Throws the `RequestError` of an operation that fails. */
function* applyOne(item: Buffer | undefined, operation: TransactionOperation): Steps<ItemOutcome['change']> {
  switch (operation.kind) {
    case 'put':
      return operation.item;
    case 'insert':
      if (item !== undefined) throw conflict('Key already exists');
      return operation.item;
    case 'update': {
      const { update } = operation;
      if (item === undefined) throw notFound('Key not found');
      if (update.condition !== undefined) yield* expectMatch(item, update.condition);
      return yield* applyUpdate(item, update);
    }
    case 'delete':
      if (operation.condition !== undefined) yield* expectMatch(item, operation.condition);
      return 'deleted';
    case 'check':
      if (operation.condition !== undefined) yield* expectMatch(item, operation.condition);
      else if (item !== undefined) throw preconditionFailed(noMatch);
      return undefined;
  }
}

function* expectMatch(item: Buffer | undefined, condition: ItemCondition): Steps<void> {
  const isMatch = item !== undefined && (yield* condition.matches(item.toString()));
  if (!isMatch) throw preconditionFailed(noMatch);
}
