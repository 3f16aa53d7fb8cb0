import type { CallOptions } from './endpoint.js';
import type { BasedriveError } from './error.js';
import type { Data, Expiry, Item } from './item.js';
import type { Query } from './query.js';
import type { Updates, Util } from './update.js';

/** Options of what writes items. */
export interface WriteOptions extends Expiry, CallOptions {}

export interface FetchOptions extends CallOptions {
  /** Number of items to return, 1 or more; default 1000. */
  readonly limit?: number | undefined;
  /** Go on behind this key: `last` of the page before. */
  readonly last?: string | undefined;
  /** From the last key to the first. */
  readonly desc?: boolean | undefined;
}

export interface FetchResult<T = unknown> {
  items: Item<T>[];
  /** Number of items in this page. */
  count: number;
  /** The key to go on from; there only when more may follow. */
  last: string | undefined;
}

/** `timeoutMs` is for each page. */
export interface ItemsOptions extends CallOptions {
  /** Go on behind this key. */
  readonly last?: string | undefined;
  readonly desc?: boolean | undefined;
  /** Items a request, 1 or more; default: as many as a page holds (1 MiB of items is read for one). */
  readonly pageSize?: number | undefined;
}

export interface PutManyResult<T = unknown> {
  /** The stored items, in the order of the call. */
  processed: { items: Item<T>[] };
}

export interface PutAllOptions extends WriteOptions {
  /** Requests under way at once; default 4. */
  readonly concurrency?: number | undefined;
  /** Called after each request, with the numbers of items so far. */
  readonly onProgress?: ((progress: PutAllProgress) => void) | undefined;
}

export interface PutAllProgress {
  readonly stored: number;
  readonly failed: number;
}

export interface PutAllResult<T = unknown> {
  /** Number of items that are stored. */
  stored: number;
  /** Those that are not, or of which it is not known, each with its error. */
  failed: { item: Data<T>; error: BasedriveError }[];
  /** Why no further items were read: there when the trouble was not with the items (no network, a wrong key). */
  stoppedBy?: BasedriveError;
}

/**
 * A base: JSON items, each found by its key. `T` is the type of the items, without or with their `key`; queries and updates
 * are checked against it. Every call rejects with a
 * `BasedriveError`, or with what your own source or callback threw.
 *
 * Numbers may have 16 significant digits; a number of more (`0.1 + 0.2` has 17) is refused, never changed: round it or
 * store it as a string.
 */
export interface Base<T = unknown> {
  /**
   * Stores an item, in place of any that has its key. Data that is no object is stored as `{key, value: data}`.
   * @param data at most 400 KiB of JSON; its own `key` counts when `key` is not given
   * @param key 1 to 1024 bytes of UTF-8; without any, one of 12 letters and digits is made
   * @returns the item as it is stored, with its key
   * @throws code `refused` when the item breaks a rule
   * @example await users.put({ name: 'Ada', age: 36 }, 'ada', { expireIn: 3600 });
   */
  put(data: Data<T>, key?: string | null, options?: WriteOptions): Promise<Item<T>>;

  /**
   * Stores an item only when none has its key. When the answer is lost on the way, it is not sent again: then code is
   * `network`, and the item may be stored or not.
   * @returns the item as it is stored
   * @throws code `conflict` when the key exists
   * @example await users.insert({ name: 'Ada', age: 36 }, 'ada');
   */
  insert(data: Data<T>, key?: string | null, options?: WriteOptions): Promise<Item<T>>;

  /**
   * @returns the item, or null when there is none
   * @example const ada = await users.get('ada');
   */
  get(key: string, options?: CallOptions): Promise<Item<T> | null>;

  /**
   * Deletes the item, if there is one.
   * @returns null, always
   * @example await users.delete('ada');
   */
  delete(key: string, options?: CallOptions): Promise<null>;

  /**
   * Stores 1 to 25 items in one request: all of them, or none. `putAll` takes any number.
   * @throws code `invalid` for more than 25; `refused` when one breaks a rule, or two have one key
   * @example await users.putMany([{ key: 'ada', name: 'Ada', age: 36 }, { key: 'alan', name: 'Alan', age: 41 }]);
   */
  putMany(items: readonly Data<T>[], options?: WriteOptions): Promise<PutManyResult<T>>;

  /**
   * Stores any number of items, in requests of 25, several at once. Of items that share a key the last one counts. An item that is
   * refused does not keep the others from being stored.
   * @returns how many are stored, and which not; rejects only when `signal` or `timeoutMs` ends the call
   * @example const { stored, failed } = await users.putAll(readLines(), { onProgress: console.log });
   */
  putAll(
    items: Iterable<Data<T>> | AsyncIterable<Data<T>>,
    options?: PutAllOptions,
  ): Promise<PutAllResult<T>>;

  /**
   * Changes attributes of an item that exists: all of them, or none. Updates of one item at the same time do not lose
   * each other. When the answer is lost on the way, an update that increments, appends or prepends is not sent again.
   * @param updates attribute paths, each with its new value or an action of `util`
   * @returns null
   * @throws code `not_found` when there is no such item; `refused` when the update breaks a rule
   * @example await users.update({ 'home.city': 'London', age: users.util.increment() }, 'ada');
   */
  update(updates: Updates<T>, key: string, options?: WriteOptions): Promise<null>;

  /**
   * One page of the items that match, in the order of their keys. A page may be empty and yet have a `last`.
   * @param query absent: all items
   * @throws code `refused` for a bad query
   * @example const { items, last } = await users.fetch({ 'age?gte': 18 }, { limit: 100 });
   */
  fetch(query?: Query<T>, options?: FetchOptions): Promise<FetchResult<T>>;

  /**
   * Every item that matches, page by page as they are asked for.
   * @example for await (const user of users.items({ 'age?gte': 18 })) console.log(user.key);
   */
  items(query?: Query<T>, options?: ItemsOptions): AsyncGenerator<Item<T>, void, undefined>;

  /** The changes of an update that are not simply a new value. */
  readonly util: Util;
}
