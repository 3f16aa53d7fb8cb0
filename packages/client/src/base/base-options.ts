import type { CallOptions, TxOptions } from '../http/endpoint.js';
import type { BasedriveError } from '../http/error.js';
import type { Expiry } from '../items/expiry.js';
import type { Data, Item } from '../items/item.js';
import type { OrderPath, SelectPath } from '../items/query.js';
import type { Changing } from './transaction.js';

/** Options of calls that write items. */
export interface WriteOptions extends Expiry, CallOptions, TxOptions {}

export interface UpdateOptions<T = unknown> extends WriteOptions, Changing<T> {}

/** What `fetch` and `items` have in common. */
interface QueryOptions<T> extends CallOptions {
  /**
   * Continue after this: the `last` of the page before, with the same `order` and `desc`. Without `order` it is a key.
   */
  readonly last?: string | undefined;
  /** True: from the last key to the first. With `order`, the direction of items that are otherwise equal. */
  readonly desc?: boolean | undefined;
  /** The attributes that order the items, each with a `-` in front for downwards (docs/http.md#ordered-queries). */
  readonly order?: readonly OrderPath<T>[] | undefined;
  /** Number of items to skip first (docs/http.md#offset-and-total). Ignored with `last`. */
  readonly offset?: number | undefined;
  /** Return only the key and these attributes (docs/http.md#selected-attributes). */
  readonly select?: readonly SelectPath<T>[] | undefined;
}

export interface IndexOptions extends CallOptions {
  /** No two items may have equal values of all fields: a write that would make two rejects with code `conflict`. */
  readonly unique?: boolean | undefined;
  /** The index has one field, whose value is a list. It serves conditions with `?has` and `?contains`. */
  readonly each?: boolean | undefined;
}

export interface FetchOptions<T = unknown> extends QueryOptions<T> {
  /** Number of items to return, 1 or more; default 1000. */
  readonly limit?: number | undefined;
  /** True: count all items that match, as `total` of the result. */
  readonly count?: boolean | undefined;
}

/** `I` is the type of the items: with `select`, they have a part of the attributes. */
export interface FetchResult<T = unknown, I = Item<T>> {
  items: I[];
  /** Number of items in this page. */
  count: number;
  /** What to continue after. Undefined when no more items follow. */
  last: string | undefined;
  /** Number of all items that match. Only with the option `count`. */
  total?: number;
}

export interface LiveOptions<T = unknown> extends Pick<CallOptions, 'signal'> {
  /** The attributes that order the items, as in `fetch`. */
  readonly order?: readonly OrderPath<T>[] | undefined;
  /** As in `fetch`. */
  readonly desc?: boolean | undefined;
  /**
   * The number of items, the first ones in the order: 1 or more, by default 1000. `Infinity` holds all items in memory.
   */
  readonly limit?: number | undefined;
}

/** `timeoutMs` applies to each page. */
export interface ItemsOptions<T = unknown> extends QueryOptions<T> {
  /** Number of items of each request, 1 or more. Default: as many as fit into a page (docs/http.md#query-items). */
  readonly pageSize?: number | undefined;
}

/** Options that have `select`. */
export interface Selecting<T = unknown> {
  readonly select: readonly SelectPath<T>[];
}

export interface PutManyResult<T = unknown> {
  /** The stored items, in the order of the call. */
  processed: { items: Item<T>[] };
}

export interface PutAllOptions extends WriteOptions {
  /** Requests in flight at once, 1 or more; default 4. */
  readonly concurrency?: number | undefined;
  /** Called after each request with the numbers of items so far. */
  readonly onProgress?: ((progress: PutAllProgress) => void) | undefined;
}

export interface PutAllProgress {
  readonly stored: number;
  readonly failed: number;
}

export interface PutAllResult<T = unknown> {
  /** Number of items that were stored. */
  stored: number;
  /** Items that were not stored, or may not have been, each with its error. */
  failed: { item: Data<T>; error: BasedriveError }[];
  /** Why `putAll` stopped before the last item: an error that no single item caused, such as a wrong key. */
  stoppedBy?: BasedriveError;
}

/** Options of `deleteWhere` and `updateWhere`. Without `timeoutMs`, the call has no time limit. */
export interface SetOptions<T = unknown> extends CallOptions {
  /** Required if the query matches every item. */
  readonly all?: boolean | undefined;
  /** True: nothing is changed, and the result has the number of the items that match. */
  readonly dryRun?: boolean | undefined;
  /** The maximum number of items to change, in the order of their keys, or in `order`. */
  readonly limit?: number | undefined;
  /** Change the first of the items in this order. It needs a `limit` of at most 100. */
  readonly order?: readonly OrderPath<T>[] | undefined;
}

/** Options of `deleteWhere` and `updateWhere` that claim items (docs/http.md#claims). */
export interface ClaimOptions<T = unknown> extends SetOptions<T> {
  /** 1 to 100. */
  readonly limit: number;
}

export interface DeleteWhereResult<T = unknown> {
  /** Number of items that were deleted. */
  deleted: number;
  /** These items. */
  items: Item<T>[];
}

export interface UpdateWhereResult {
  /** Number of items that were updated. */
  updated: number;
  /** The first 100 items that match, but to which the updates could not be applied. */
  failed: readonly { readonly key: string; readonly errors: readonly string[] }[];
  /** Number of all of these. */
  failedCount: number;
}
