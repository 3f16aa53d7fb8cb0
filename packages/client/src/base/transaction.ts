import { invalid } from '../http/error.js';
import type { QueryConditions, TransactionRequest, TransactionRequestOperation } from '../http-types.js';
import type { Expiry } from '../items/expiry.js';
import { expiryOf } from '../items/expiry.js';
import type { Data, Item } from '../items/item.js';
import { newItem, withKey } from '../items/new-item.js';
import type { Query } from '../items/query.js';
import { withNullOptions } from '../lib/null-options.js';
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
  put(
    data: Data<T>,
    key: string | null | undefined,
    options: Expiry & Returning<'old'>,
  ): Operation<Item<T> | null>;
  put(data: Data<T>, key?: string | null, options?: Expiry & Returning<undefined>): Operation<Item<T>>;
  /** Stores an item. Fails with code `conflict` if its key exists. */
  insert(data: Data<T>, key?: string | null, options?: Expiry): Operation<Item<T>>;
  /**
   * Changes attributes of an item. Fails with code `not_found` if it does not exist and there is no `upsert`, with
   * `condition_failed` if it does not match `if`.
   */
  update(updates: Updates<T>, key: string, options: Changing<T> & Returning<'new'>): Operation<Item<T>>;
  update(
    updates: Updates<T>,
    key: string,
    options: Changing<T> & Returning<'old'>,
  ): Operation<Item<T> | null>;
  update(updates: Updates<T>, key: string, options?: Changing<T> & Returning<undefined>): Operation<null>;
  /** Deletes an item. With `if`, it fails with code `condition_failed` unless the item exists and matches. */
  delete(key: string, options: Condition<T> & Returning<'old'>): Operation<Item<T> | null>;
  delete(key: string, options?: Condition<T> & Returning<undefined>): Operation<null>;
  /** Fails with code `condition_failed` unless the item exists and matches; with `null`, if the item exists. */
  check(key: string, query: Query<T> | null): Operation<null>;
}

/** The condition that an item must match. */
export interface Condition<T = unknown> {
  /** The change happens only if the item matches (docs/http.md#conditional-updates). */
  readonly if?: Query<T> | undefined;
}

/** Options of an update. */
export interface Changing<T> extends Expiry, Condition<T> {
  /** The item that is changed if there is none (docs/http.md#upsert). */
  readonly upsert?: Data<T> | undefined;
}

/** The option that asks for an item: as it is after the change, or as it was before (docs/http.md#returned-items). */
export type Returning<Which extends 'new' | 'old' | undefined = 'new' | 'old'> = undefined extends Which
  ? { readonly return?: undefined }
  : { readonly return: Which };

/**
 * The results of the operations: the stored item for a put and an insert, null for the others, and what the option
 * `return` asks for.
 */
export type TransactionResults<Made extends readonly unknown[]> = {
  -readonly [Index in keyof Made]: Made[Index] extends Operation<infer Result> ? Result : never;
};

/** What the operations take together. */
interface AnyOptions extends Changing<unknown> {
  readonly return?: 'new' | 'old' | undefined;
}

/** Gives what an operation returns, or null. Only the compiler knows what the options promise. */
const returned = (answer: unknown) => ((answer as { item?: Item | null }).item ?? null) as never;

/** One object serves every base: only the compiler knows the type of the items. */
const operations: Operations = {
  put(data: unknown, key?: string | null, options: AnyOptions = {}) {
    const expiry = expiryOf(options);
    const put = withKey(newItem(data, key, expiry));
    const request = { put, expires_in: expiry.expires_in, return: options.return as 'old' };
    return new Operation(request, options.return === undefined ? asItem : returned);
  },
  insert(data, key, options = {}) {
    const expiry = expiryOf(options);
    return new Operation(
      { insert: withKey(newItem(data, key, expiry)), expires_in: expiry.expires_in },
      asItem,
    );
  },
  update: (updates: Updates, key: string, options: AnyOptions = {}) => {
    const changes = updateBody(updates, expiryOf(options));
    return new Operation(
      { update: { key, ...conditionOf(options), ...returningOf(options), ...changes } },
      returned,
    );
  },
  delete: (key: string, options: AnyOptions = {}) =>
    new Operation({ delete: { key, ...conditionOf(options), return: options.return as 'old' } }, returned),
  check: (key, query) =>
    new Operation({ check: { key, if: query === null ? null : checkedQuery('if', query) } }, returned),
};

/** The operations that a function gives of a transaction. Throws code `invalid` if it is none, or gives anything else. */
export function madeBy(make: (given: Operations) => unknown): readonly Operation[] {
  const made = typeof make === 'function' && make(withNullOptions({ ...operations }));
  if (!Array.isArray(made) || !made.every((one) => one instanceof Operation))
    throw invalid('A transaction must be a function that returns a list of operations');
  return made;
}

function asItem(answer: unknown): Item {
  return answer as Item;
}

/** Gives the members of an update that are neither changes nor its condition. */
export function returningOf({ upsert, return: returns }: AnyOptions) {
  return { upsert: upsert === undefined ? undefined : newItem(upsert, undefined, {}), return: returns };
}

/** Gives the member `if` of an update or a delete. */
export function conditionOf(options: Condition): { if?: QueryConditions } {
  return options.if == null ? {} : { if: checkedQuery('if', options.if) };
}

/**
 * Checks a query that decides what is changed. Queries that only read leave out conditions whose operand is undefined. Here
 * that would make the change happen without its condition. Throws code `invalid`, with the name of the member in its message.
 */
export function checkedQuery(member: 'if' | 'query', query: unknown): QueryConditions {
  for (const conditions of Array.isArray(query) ? query : [query]) {
    if (typeof conditions !== 'object' || conditions === null)
      throw invalid(`${member}: must be an object of conditions, or a list of such objects`);
    for (const [name, operand] of Object.entries(conditions)) {
      if (operand === undefined) throw invalid(`${member}: the operand of ${name} is undefined`);
    }
  }
  return query as QueryConditions;
}

/**
 * Whether doing the transaction twice has the same result as doing it once: each operation puts or deletes an item
 * without a condition, and does not return what it replaces.
 */
export function isTransactionRepeatable({ operations }: TransactionRequest): boolean {
  return operations.every(
    (one) =>
      ('put' in one && one.return === undefined) ||
      ('delete' in one && one.delete.if === undefined && one.delete.return === undefined),
  );
}
