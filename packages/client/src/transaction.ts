import { invalid } from './error.js';
import type { QueryConditions, TransactionRequest, TransactionRequestOperation } from './http-types.js';
import type { Data, Expiry, Item } from './item.js';
import { expiryOf, newItem, withKey } from './new-item.js';
import type { Query } from './query.js';
import { type Updates, updateBody } from './update.js';

/** An operation of a transaction. The functions of `Operations` make them. */
export class Operation<Result = unknown> {
  constructor(
    readonly request: TransactionRequestOperation,
    /** Makes the result of `transaction` from the answer of the service. */
    readonly resultOf: (answer: unknown) => Result,
  ) {}
}

/** Makes the operations of a transaction. The functions take the same parameters as the calls of the same names. */
export interface Operations<T = unknown> {
  /** Stores an item and replaces any item with the same key. */
  put(data: Data<T>, key?: string | null, options?: Expiry): Operation<Item<T>>;
  /** Stores an item. Fails with code `conflict` if its key exists. */
  insert(data: Data<T>, key?: string | null, options?: Expiry): Operation<Item<T>>;
  /**
   * Changes attributes of an item. Fails with code `not_found` if it does not exist, with `condition_failed` if it does
   * not match `if`.
   */
  update(updates: Updates<T>, key: string, options?: Expiry & Condition<T>): Operation<null>;
  /** Deletes an item. With `if`, it fails with code `condition_failed` unless the item exists and matches. */
  delete(key: string, options?: Condition<T>): Operation<null>;
  /** Fails with code `condition_failed` unless the item exists and matches; with `null`, if the item exists. */
  check(key: string, query: Query<T> | null): Operation<null>;
}

/** The condition that an item must match. */
export interface Condition<T = unknown> {
  /** The change happens only if the item matches (docs/http.md#conditional-updates). */
  readonly if?: Query<T> | undefined;
}

/** The results of the operations: the stored item for a put and an insert, null for the others. */
export type TransactionResults<Made extends readonly unknown[]> = {
  -readonly [Index in keyof Made]: Made[Index] extends Operation<infer Result> ? Result : never;
};

const nothing = () => null;

/** One object serves every base: only the compiler knows the type of the items. */
export const operations: Operations = {
  put(data, key, options = {}) {
    const expiry = expiryOf(options);
    return new Operation({ put: withKey(newItem(data, key, expiry)), expires_in: expiry.expires_in }, asItem);
  },
  insert(data, key, options = {}) {
    const expiry = expiryOf(options);
    return new Operation(
      { insert: withKey(newItem(data, key, expiry)), expires_in: expiry.expires_in },
      asItem,
    );
  },
  update: (updates, key, options = {}) =>
    new Operation(
      { update: { key, ...conditionOf(options), ...updateBody(updates, expiryOf(options)) } },
      nothing,
    ),
  delete: (key, options = {}) => new Operation({ delete: { key, ...conditionOf(options) } }, nothing),
  check: (key, query) =>
    new Operation({ check: { key, if: query === null ? null : checkedQuery(query) } }, nothing),
};

function asItem(answer: unknown): Item {
  return answer as Item;
}

/** Gives the member `if` of an update or a delete. */
export function conditionOf(options: Condition): { if?: QueryConditions } {
  return options.if == null ? {} : { if: checkedQuery(options.if) };
}

/**
 * Checks the query. Queries leave out conditions whose operand is undefined. Here that would make the change happen
 * without its condition.
 */
function checkedQuery(query: unknown): QueryConditions {
  if (typeof query !== 'object')
    throw invalid('if: must be an object of conditions, or a list of such objects');
  for (const conditions of Array.isArray(query) ? query : [query]) {
    for (const [name, operand] of Object.entries(conditions as object)) {
      if (operand === undefined) throw invalid(`if: the operand of ${name} is undefined`);
    }
  }
  return query as QueryConditions;
}

/**
 * Whether doing the transaction twice has the same result as doing it once: each operation puts or deletes an item
 * without a condition.
 */
export function isTransactionRepeatable({ operations }: TransactionRequest): boolean {
  return operations.every((one) => 'put' in one || ('delete' in one && one.delete.if === undefined));
}
