import type { ItemChange, ItemChangesOptions, Live } from '../feed/changes.js';
import type { LiveQuery } from '../feed/live.js';
import type { CallOptions, TxOptions } from '../http/endpoint.js';
import type { FileData, FileSource } from '../http/source.js';
import type { BaseStats, CountedIndexInfo, IndexInfo } from '../http-types.js';
import type { Data, Item } from '../items/item.js';
import type { Query, Selected, SelectPath } from '../items/query.js';
import type { AggregateOptions, AggregateResults, Aggregates, GroupBy, GroupedResults } from './aggregate.js';
import type {
  ClaimOptions,
  DeleteWhereResult,
  FetchOptions,
  FetchResult,
  IndexOptions,
  ItemsOptions,
  LiveOptions,
  PutAllOptions,
  PutAllResult,
  PutManyResult,
  Selecting,
  SetOptions,
  UpdateOptions,
  UpdateWhereResult,
  WriteOptions,
} from './base-options.js';
import type {
  ExportLinesOptions,
  ExportOptions,
  ImportLinesOptions,
  ImportLinesResult,
  ImportOptions,
} from './bulk.js';
import type { Operation, Operations, Returning, TransactionResults } from './transaction.js';
import type { Updates, Util } from './update.js';

/**
 * A base: JSON items, each with a key. `T` is the type of the items, with or without their `key`; the compiler checks
 * queries and updates against it. Every call rejects with a `BasedriveError`, or with what your own source or callback
 * threw.
 *
 * Every number of JavaScript is stored exactly, except integers of more than 16 significant digits: the service refuses
 * them (docs/http.md#numbers). `NaN` and infinite numbers are refused with code `invalid`.
 */
export interface Base<T = unknown> {
  /**
   * Stores an item and replaces any item with the same key (docs/http.md#put-items). Data that is not an object is
   * stored as `{key, value: data}`.
   * @param data at most 400 KiB of JSON; its own `key` is used when `key` is not given
   * @param key 1 to 1024 bytes of UTF-8; without a key, the item gets one of 12 letters and digits
   * @returns the stored item, with its key
   * @throws code `refused` when the item breaks a rule
   * @example await users.put({ name: 'Ada', age: 36 }, 'ada', { expireIn: 3600 });
   */
  put(data: Data<T>, key?: string | null, options?: WriteOptions): Promise<Item<T>>;

  /**
   * Stores an item only if no item has its key (docs/http.md#insert-item). If the answer is lost, the request is not
   * sent again: the call rejects with code `network`, and the item may or may not be stored.
   * @returns the stored item
   * @throws code `conflict` when the key exists
   * @example await users.insert({ name: 'Ada', age: 36 }, 'ada');
   */
  insert(data: Data<T>, key?: string | null, options?: WriteOptions): Promise<Item<T>>;

  /**
   * Reads an item (docs/http.md#get-item).
   * @returns the item, or null if it does not exist
   * @example const ada = await users.get('ada');
   */
  get(key: string, options?: CallOptions): Promise<Item<T> | null>;

  /**
   * Deletes an item. It is no error if the item does not exist (docs/http.md#delete-item).
   * @returns always null
   * @example await users.delete('ada');
   */
  delete(key: string, options?: CallOptions & TxOptions): Promise<null>;

  /**
   * Stores 1 to 25 items in one request: all of them or none. `putAll` takes any number.
   * @throws code `invalid` for more than 25 items; `refused` when an item breaks a rule or two items have the same key
   * @example await users.putMany([{ key: 'ada', name: 'Ada', age: 36 }, { key: 'alan', name: 'Alan', age: 41 }]);
   */
  putMany(items: readonly Data<T>[], options?: WriteOptions): Promise<PutManyResult<T>>;

  /**
   * Stores any number of items in requests of 25, several at once. If items have the same key, the last one wins. If an
   * item is refused, the others are still stored.
   * @returns how many items were stored, and which were not
   * @throws codes `aborted` and `timeout`; what `items` or `onProgress` threw
   * @example const { stored, failed } = await users.putAll(readLines(), { onProgress: console.log });
   */
  putAll(
    items: Iterable<Data<T>> | AsyncIterable<Data<T>>,
    options?: PutAllOptions,
  ): Promise<PutAllResult<T>>;

  /**
   * Changes attributes of an existing item: all of them or none (docs/http.md#update-item). Concurrent updates of an
   * item do not lose each other's changes. If the answer is lost, an update that increments, appends or prepends is
   * not sent again. Neither is an update with an `if`, or one that returns the item before it.
   * @param updates attribute paths, each with its new value or an action of `util`
   * @returns null; with the option `return`, the item after this update (`'new'`) or before it (`'old'`). Before an
   * `upsert` there may be none: null
   * @throws code `not_found` if the item does not exist and there is no `upsert`; `condition_failed` if it does not match
   * `if`; `refused` when the update breaks a rule
   * @example await users.update({ 'home.city': 'London', age: users.util.increment() }, 'ada');
   * @example await users.update({ age: 37 }, 'ada', { if: { age: 36 } });
   * @example const { n } = await hits.update({ n: util.increment() }, 'home', { upsert: { n: 0 }, return: 'new' });
   */
  update(updates: Updates<T>, key: string, options: UpdateOptions<T> & Returning<'new'>): Promise<Item<T>>;
  update(
    updates: Updates<T>,
    key: string,
    options: UpdateOptions<T> & Returning<'old'> & { readonly upsert?: undefined },
  ): Promise<Item<T>>;
  update(
    updates: Updates<T>,
    key: string,
    options: UpdateOptions<T> & Returning<'old'>,
  ): Promise<Item<T> | null>;
  update(updates: Updates<T>, key: string, options?: UpdateOptions<T> & Returning<undefined>): Promise<null>;

  /**
   * Does 1 to 100 operations on the items of this base: all of them or none (docs/http.md#transactions). They happen
   * one after the other, and each sees the changes of those before it. If the answer is lost, only a transaction of
   * puts and of deletes without `if` is sent again.
   * @returns for each operation the stored item (`put`, `insert`) or null; with its option `return`, the item that it
   * asks for
   * @throws the error of the first operation that fails, with its index in `operation`: codes `condition_failed`,
   * `conflict`, `not_found`, `refused`. Then nothing is changed.
   * @example
   * await accounts.transaction(({ update, insert, check }) => [
   *   update({ balance: util.increment(-5) }, 'ada', { if: { 'balance?gte': 5 } }),
   *   update({ balance: util.increment(5) }, 'alan'),
   *   insert({ from: 'ada', to: 'alan', amount: 5 }, 'transfer-1'),
   *   check('closed', null),
   * ]);
   */
  transaction<Made extends readonly Operation[] | []>(
    make: (operations: Operations<T>) => Made,
    options?: CallOptions & TxOptions,
  ): Promise<TransactionResults<Made>>;

  /**
   * Reads one page of the items that match, ordered by key or by `order` (docs/http.md#query-items). A page can be
   * empty and still have a `last`.
   * @param query default: all items
   * @throws code `refused` for a bad query
   * @example const { items, last } = await users.fetch({ 'age?gte': 18 }, { limit: 100 });
   */
  fetch(
    query: Query<T> | undefined,
    options: FetchOptions<T> & Selecting<T>,
  ): Promise<FetchResult<T, Selected<T>>>;
  fetch(query?: Query<T>, options?: FetchOptions<T>): Promise<FetchResult<T>>;

  /**
   * Iterates over all items that match, and requests each page when it is needed.
   * @example for await (const user of users.items({ 'age?gte': 18 })) console.log(user.key);
   */
  items(
    query: Query<T> | undefined,
    options: ItemsOptions<T> & Selecting<T>,
  ): AsyncGenerator<Selected<T>, void, undefined>;
  items(query?: Query<T>, options?: ItemsOptions<T>): AsyncGenerator<Item<T>, void, undefined>;

  /**
   * The number of items and the bytes of their JSON (docs/http.md#statistics).
   * @returns what is never estimated: with `exact` false, what was counted last, at the second `as_of`, or nothing yet
   * @example const { items, bytes, exact } = await users.stats();
   */
  stats(options?: CallOptions): Promise<BaseStats>;

  /**
   * Deletes all items, in batches, for as long as it takes: without `timeoutMs`, the call has no time limit. Items that
   * others put in the meantime are deleted or stay (docs/http.md#delete-all-items). A call that is aborted stops after some
   * of the items.
   * @returns the number of deleted items; if an answer was lost, of those that the repeated request deleted
   * @example console.log(await users.deleteAll());
   */
  deleteAll(options?: CallOptions): Promise<number>;

  /**
   * Counts the items that match (docs/http.md#count-items).
   * @param query default: all items
   * @example console.log(await users.count({ 'age?gte': 18 }));
   */
  count(query?: Query<T>, options?: CallOptions): Promise<number>;

  /**
   * Counts, sums and compares the items that match (docs/http.md#aggregates). Sums are exact in decimal digits, as far as a
   * number of JavaScript has them.
   * @param query default: all items
   * @returns the results by their names; with the option `group`, a page of groups
   * @throws code `refused` when there are too many groups
   * @example const { n, oldest } = await users.aggregate({ n: { count: true }, oldest: { max: 'age' } });
   * @example
   * const byCity = { group: ['home.city'], order: ['-mean'] } as const;
   * const { groups } = await users.aggregate({ mean: { avg: 'age' } }, {}, byCity);
   */
  aggregate<const Made extends Aggregates<T>>(
    aggregates: Made,
    query?: Query<T>,
    options?: CallOptions & { readonly group?: undefined },
  ): Promise<AggregateResults<T, Made>>;
  aggregate<const Made extends Aggregates<T>, const Groups extends readonly GroupBy<T>[]>(
    aggregates: Made,
    query: Query<T> | undefined,
    options: AggregateOptions<T, Groups>,
  ): Promise<GroupedResults<T, Made, Groups>>;

  /**
   * Deletes all items that match, however many (docs/http.md#delete-by-query). It is not atomic as a whole.
   * @returns the number of deleted items, or if an answer was lost, of those that the repeated request deleted; with
   * `return: 'old'`, also these items
   * @throws code `refused` for a query that matches every item without the option `all`; `invalid` when an operand of the query is
   * `undefined`, because without this condition more items would change
   * @example await sessions.deleteWhere({ 'seen?lt': 1_700_000_000 });
   * @example const { items } = await jobs.deleteWhere({ done: true }, { limit: 100, return: 'old' });
   */
  deleteWhere(query: Query<T>, options: ClaimOptions<T> & Returning<'old'>): Promise<DeleteWhereResult<T>>;
  deleteWhere(query: Query<T>, options?: SetOptions<T> & Returning<undefined>): Promise<number>;

  /**
   * Changes attributes of all items that match (docs/http.md#update-by-query). The call is not atomic as a whole. Each
   * item is changed as `update` changes it. With `return`, it claims items: no two calls change the same one, if the
   * updates make that it no longer matches (docs/http.md#claims).
   * @returns the number of updated items, or if an answer was lost, of those that the repeated request updated; with
   * `return`, also the items after this update (`'new'`) or before it (`'old'`)
   * @throws code `refused` for a query that matches every item without the option `all`; `invalid` when an operand of the query is
   * `undefined`, because without this condition more items would change
   * @example await users.updateWhere({ score: users.util.increment(10) }, { 'home.city': 'Oslo' });
   * @example
   * const { items } = await jobs.updateWhere({ state: 'taken' }, { state: 'new' }, { order: ['at'], limit: 10, return: 'new' });
   */
  updateWhere(
    updates: Updates<T>,
    query: Query<T>,
    options: ClaimOptions<T> & Returning,
  ): Promise<UpdateWhereResult & { items: Item<T>[] }>;
  updateWhere(
    updates: Updates<T>,
    query: Query<T>,
    options?: SetOptions<T> & Returning<undefined>,
  ): Promise<UpdateWhereResult>;

  /**
   * Declares an index: it makes queries with `order`, and counts, read fewer items (docs/http.md#indexes). The service
   * builds it in the background.
   * @param fields 1 to 4 attribute paths
   * @returns the index, with its state. With `unique` it is `failed` in the end if items have equal values
   * @throws code `conflict` if the index exists with other fields, or is of another kind; `refused` when a rule is broken
   * @example
   * await users.declareIndex('by-age', ['age']);
   * await users.declareIndex('one-email', ['email'], { unique: true });
   */
  declareIndex(name: string, fields: readonly SelectPath<T>[], options?: IndexOptions): Promise<IndexInfo>;

  /**
   * The indexes of the base, with the numbers of their entries (docs/http.md#list-indexes).
   * @example const isReady = (await users.indexes()).every(({ state }) => state === 'ready');
   */
  indexes(options?: CallOptions): Promise<readonly CountedIndexInfo[]>;

  /**
   * Drops an index. It is no error if the index does not exist (docs/http.md#drop-index).
   * @returns always null
   * @example await users.dropIndex('by-age');
   */
  dropIndex(name: string, options?: CallOptions): Promise<null>;

  /**
   * Iterates over what changes in the base, as it happens, and never ends by itself (docs/http.md#changes). When the
   * connection is lost, it goes on where it was. A cursor that is too old rejects with status 410: begin again with
   * `since: '0'`.
   * @example
   * for await (const change of users.changes({ since: '0' })) {
   *   if (change.type === 'put') copy.set(change.key, change.item);
   *   else if (change.type === 'delete') copy.delete(change.key);
   * }
   */
  changes(options?: ItemChangesOptions<T>): AsyncGenerator<ItemChange<T> | Live, void, undefined>;

  /**
   * Calls `onChange` with the items that match, in their order: at once, and whenever they change, until it is closed.
   * When the connection is lost, the last ones stay until it goes on. Each call gets a new list.
   * @throws never; `ended` of the result rejects when it cannot begin or go on
   * @example
   * const live = tasks.live({ done: false }, (items) => show(items), { order: ['-at'], limit: 20 });
   * live.ended.catch(showError);
   * live.close();
   */
  live(
    query: Query<T> | undefined,
    onChange: (items: Item<T>[]) => void,
    options?: LiveOptions<T>,
  ): LiveQuery;

  /**
   * Iterates over all items in the order of their keys, in one request: faster than `items`
   * (docs/http.md#export-items). If the connection is lost, it continues after the last item that arrived.
   * @example for await (const user of users.exportItems({ prefix: 'a' })) console.log(user.key);
   */
  exportItems(options?: ExportOptions): AsyncGenerator<Item<T>, void, undefined>;

  /**
   * All items as NDJSON: the bytes of one line after the other, with every digit of every number. Each chunk ends with
   * the end of a line. If the connection is lost, the stream continues after the last line.
   * @example await pipeline(users.exportLines(), createWriteStream('users.ndjson')); // Node
   * @example const blob = await new Response(users.exportLines()).blob();
   */
  exportLines(options?: ExportLinesOptions): ReadableStream<Uint8Array<ArrayBuffer>>;

  /**
   * Stores any number of items, some thousand in a request, one request after the other: faster than `putAll`
   * (docs/http.md#import-items). If an item is refused, the others are still stored.
   * @returns how many items were stored, and which were not
   * @throws an error that no single item caused; items before it may have been stored
   * @example const { stored, failed } = await users.importItems(readLines());
   */
  importItems(
    items: Iterable<Data<T>> | AsyncIterable<Data<T>>,
    options?: ImportOptions,
  ): Promise<PutAllResult<T>>;

  /**
   * Stores the items of NDJSON, one on each line, as they are written. If a line is refused, the others are still
   * stored. Memory holds about two megabytes of lines, however many there are. If an answer is lost, lines are sent
   * again only if each of them has a key, and never with `insert`.
   * @param lines text, bytes, a `Blob` or `File`, a stream, or `{ path }` of a file (Node)
   * @returns how many items were stored, and which lines were not
   * @throws an error that no single line caused; lines before it may have been stored
   * @example const { stored, failed } = await users.importLines({ path: 'users.ndjson' });
   */
  importLines(lines: FileData | FileSource, options?: ImportLinesOptions): Promise<ImportLinesResult>;

  /** Actions for `update`: changes other than setting a value. */
  readonly util: Util;
}
