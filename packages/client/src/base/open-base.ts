import { followChanges, type ItemChange, type Live, projectOf } from '../feed/changes.js';
import { openLive } from '../feed/live.js';
import { type CallOptions, type Endpoint, segment, type TxOptions } from '../http/endpoint.js';
import { BasedriveError, invalid } from '../http/error.js';
import { writeJson } from '../http/json.js';
import { listOf } from '../http/list-of.js';
import { requestAnswer, requestValue, type UsualCall } from '../http/request.js';
import type {
  CountItemsResponse,
  DeclareIndexRequest,
  DeclareIndexResponse,
  DeleteAllResponse,
  InsertItemRequest,
  ListIndexesResponse,
  PutItemsRequest,
  QueryItemsRequest,
  QueryItemsResponse,
  TransactionRequest,
  TransactionResponse,
  UpdateItemRequest,
  UpdateItemResponse,
} from '../http-types.js';
import { expiryOf, type RequestExpiry } from '../items/expiry.js';
import type { Data, Item } from '../items/item.js';
import { newItem, withKey } from '../items/new-item.js';
import type { Query } from '../items/query.js';
import { withNullOptions } from '../lib/null-options.js';
import { readStats } from '../project/catalog.js';
import type { AggregateOptions, Aggregates } from './aggregate.js';
import type { Base } from './base.js';
import type {
  FetchOptions,
  FetchResult,
  ItemsOptions,
  PutManyResult,
  SetOptions,
  UpdateOptions,
  UpdateWhereResult,
} from './base-options.js';
import { exportItems, exportLines } from './export-items.js';
import { importItems, importLines } from './import-items.js';
import { itemOrder } from './item-order.js';
import { putAll } from './put-all.js';
import {
  checkedQuery,
  conditionOf,
  isTransactionRepeatable,
  madeBy,
  type Operation,
  type Operations,
  returningOf,
  type TransactionResults,
} from './transaction.js';
import { isRepeatable, type Updates, updateBody, util } from './update.js';

/** The limit of `putMany` (docs/http.md#put-items). */
const maxItemsPerPut = 25;
/** The default of npm `deta`. */
const defaultLimit = 1000;

/** What the answers of Delete By Query and Update By Query have in common. */
interface SetAnswer<T> {
  readonly deleted?: number;
  readonly updated?: number;
  readonly matched?: number;
  readonly failed?: UpdateWhereResult['failed'];
  readonly failed_count?: number;
  readonly items?: Item<T>[];
}

interface AggregateAnswer {
  readonly groups?: readonly unknown[];
  readonly paging?: { readonly last?: string };
}

type Send = <Answer>(call: UsualCall, options: CallOptions & TxOptions) => Promise<Answer>;

/** Makes the calls of a base. */
export function openBase<T>(endpoint: Endpoint): Base<T> {
  const send: Send = (call, options) => requestValue(endpoint, call, options);
  const base: Base<T> = {
    util,
    ...itemCalls<T>(endpoint, send),
    ...queryCalls<T>(send),
    ...byQueryCalls<T>(send),
    ...indexCalls(send),

    async transaction<Made extends readonly Operation[] | []>(
      make: (operations: Operations<T>) => Made,
      options: CallOptions & TxOptions = {},
    ) {
      const made = madeBy(make as (given: unknown) => unknown);
      const request: TransactionRequest = { operations: made.map((one) => one.request) };
      const call = { method: 'POST', path: '/transactions', body: writeJson(request) } as const;
      const repeatable = isTransactionRepeatable(request);
      const { results } = await send<TransactionResponse>({ ...call, repeatable }, options);
      return made.map(({ resultOf }, index) => resultOf(results[index])) as TransactionResults<Made>;
    },

    stats: async (options = {}) => (await readStats(endpoint, options)).base,

    async deleteAll({ signal, timeoutMs = Number.POSITIVE_INFINITY } = {}) {
      const call = { method: 'DELETE', path: '/items?all=true', repeatable: true } as const;
      return (await send<DeleteAllResponse>(call, { signal, timeoutMs })).deleted;
    },

    changes(options = {}) {
      const { project, name } = projectOf(endpoint);
      const all = { ...options, query: options.query as Query | undefined, bases: [name] };
      return followChanges(project, all) as AsyncGenerator<ItemChange<T> | Live, void, undefined>;
    },

    live(query, onChange, { order = [], desc = false, limit = defaultLimit, signal } = {}) {
      async function* changes(ended: AbortSignal) {
        for await (const change of base.changes({ query, signal: ended }))
          yield change.type === 'live' ? change : { ...change, id: change.key };
      }
      const read = (count: number, ended: AbortSignal) => {
        const pageSize = Number.isFinite(count) ? count : undefined;
        return base.items(query, { order, desc, pageSize, signal: ended });
      };
      const compare = itemOrder(order, desc);
      return openLive({ changes, read, idOf: ({ key }) => key, compare, limit }, onChange, signal);
    },

    exportItems: (options = {}) => exportItems<T>(endpoint, options),

    exportLines: (options = {}) => exportLines(endpoint, options),

    importItems: (items, options = {}) => importItems(endpoint, items, options),

    importLines: (lines, options = {}) => importLines(endpoint, lines, options),
  };
  return withNullOptions(base);
}

type ItemCalls = 'put' | 'insert' | 'get' | 'delete' | 'putMany' | 'putAll' | 'update';

function itemCalls<T>(endpoint: Endpoint, send: Send): Pick<Base<T>, ItemCalls> {
  const putItems = async (
    items: PutItemsRequest['items'],
    { expires_in }: RequestExpiry,
    options: CallOptions & TxOptions,
  ) => {
    const body = writeJson({ items, expires_in } satisfies PutItemsRequest, items.length === 1 ? 2 : 0);
    // Each item has its key, so a repeated request stores it only once.
    return await send<PutManyResult<T>>({ method: 'PUT', path: '/items', body }, options);
  };

  return {
    async put(data, key, options = {}) {
      const expiry = expiryOf(options);
      const item = withKey(newItem(data, key, expiry));
      return (await putItems([item], expiry, options)).processed.items[0] as Item<T>;
    },

    async insert(data, key, options = {}) {
      const expiry = expiryOf(options);
      const item = newItem(data, key, expiry);
      const body = writeJson({ item, expires_in: expiry.expires_in } satisfies InsertItemRequest, 1);
      try {
        return await send<Item<T>>({ method: 'POST', path: '/items', body, repeatable: false }, options);
      } catch (cause) {
        throw named(cause, item.key);
      }
    },

    async get(key, options = {}) {
      const call = { method: 'GET', path: itemPath(key) } as const;
      const { value, error } = await requestAnswer(endpoint, call, options);
      // The 404 of a missing item has the item's key. Any other 404 means that the address is wrong
      // (docs/http.md#get-item).
      if (error && (value as { key?: unknown } | null)?.key !== key) throw error;
      return error ? null : (value as Item<T>);
    },

    async delete(key, options = {}) {
      await send({ method: 'DELETE', path: itemPath(key) }, options);
      return null;
    },

    async putMany(items, options = {}) {
      if (!Array.isArray(items)) throw invalid('Items must be an array');
      if (items.length === 0) throw invalid("Items can't be empty");
      if (items.length > maxItemsPerPut) throw invalid("We can't put more than 25 items at a time");
      const expiry = expiryOf(options);
      return await putItems(
        items.map((data: Data<T>) => withKey(newItem(data, undefined, expiry))),
        expiry,
        options,
      );
    },

    putAll: (items, options = {}) => putAll(items, options, putItems),

    update: (async (updates: Updates<T>, key: string, options: UpdateOptions<T> = {}) => {
      const changes = updateBody(updates, expiryOf(options));
      const members = { ...conditionOf(options), ...returningOf(options), ...changes };
      const call = { method: 'PATCH', path: itemPath(key), body: writeJson(members, 1) } as const;
      const answer = await send<UpdateItemResponse>({ ...call, repeatable: isRepeatable(members) }, options);
      return answer.item ?? null;
    }) as Base<T>['update'],
  };
}

function queryCalls<T>(send: Send): Pick<Base<T>, 'fetch' | 'items' | 'count' | 'aggregate'> {
  const query = async (members: QueryItemsRequest, options: CallOptions): Promise<FetchResult<T>> => {
    const body = writeJson(members, 2);
    const call = { method: 'POST', path: '/query', body } as const;
    const { items, paging } = await send<QueryItemsResponse>(call, options);
    const result: FetchResult<T> = { items: items as Item<T>[], count: paging.size, last: paging.last };
    if (paging.total !== undefined) result.total = paging.total;
    return result;
  };

  /** All items, read in pages of `pageSize`. */
  async function* eachItem(
    conditions: Query<T> | undefined,
    { pageSize, ...options }: ItemsOptions<T> = {},
  ): AsyncGenerator<Item<T>, void, undefined> {
    let { last } = options;
    do {
      const members = queryMembers(conditions, { ...options, last });
      const page = await query(pageSize === undefined ? members : { ...members, limit: pageSize }, options);
      yield* page.items;
      last = page.last;
    } while (last !== undefined);
  }

  return {
    fetch: ((conditions: Query<T> | undefined, options: FetchOptions<T> = {}) =>
      query(
        { ...queryMembers(conditions, options), limit: options.limit ?? defaultLimit },
        options,
      )) as Base<T>['fetch'],

    items: eachItem as Base<T>['items'],

    async count(conditions, options = {}) {
      const body = writeJson({ query: conditions }, 1);
      const call = { method: 'POST', path: '/query/count', body } as const;
      return (await send<CountItemsResponse>(call, options)).count;
    },

    aggregate: (async (
      aggregates: Aggregates<T>,
      conditions: Query<T> | undefined,
      { group, order, limit, last, ...options }: Partial<AggregateOptions<T>> = {},
    ) => {
      const body = writeJson({ query: conditions, group, aggregates, order, limit, last }, 1);
      const call = { method: 'POST', path: '/query/aggregate', body } as const;
      const { groups, paging, ...results } = await send<AggregateAnswer>(call, options);
      return group === undefined ? results : { groups, last: paging?.last };
    }) as Base<T>['aggregate'],
  };
}

function byQueryCalls<T>(send: Send): Pick<Base<T>, 'deleteWhere' | 'updateWhere'> {
  const changeWhere = async (
    kind: 'delete' | 'update',
    conditions: Query<T>,
    options: SetOptions<T> & { readonly return?: 'new' | 'old' | undefined },
    updates: UpdateItemRequest = {},
  ): Promise<SetAnswer<T>> => {
    const { all, dryRun, limit, order, signal, timeoutMs = Number.POSITIVE_INFINITY } = options;
    const query = conditions == null ? undefined : checkedQuery('query', conditions);
    const members = { query, all, dry_run: dryRun, limit, order, return: options.return };
    const body = writeJson({ ...members, ...updates }, 1);
    // With a limit, a repeated request would change other items.
    const repeatable = dryRun === true || (limit === undefined && isRepeatable(updates));
    const call = { method: 'POST', path: `/query/${kind}`, body, repeatable } as const;
    return await send<SetAnswer<T>>(call, { signal, timeoutMs });
  };

  return {
    deleteWhere: (async (conditions: Query<T>, options: SetOptions<T> = {}) => {
      const { deleted, matched, items } = await changeWhere('delete', conditions, options);
      const count = (deleted ?? matched) as number;
      return items === undefined ? count : { deleted: count, items };
    }) as Base<T>['deleteWhere'],

    updateWhere: (async (updates: Updates<T>, conditions: Query<T>, options: SetOptions<T> = {}) => {
      const answer = await changeWhere('update', conditions, options, updateBody(updates));
      const { updated, matched, failed = [], failed_count = 0, items } = answer;
      const result = { updated: (updated ?? matched) as number, failed, failedCount: failed_count };
      return items === undefined ? result : { ...result, items };
    }) as Base<T>['updateWhere'],
  };
}

function indexCalls(send: Send): Pick<Base<unknown>, 'declareIndex' | 'indexes' | 'dropIndex'> {
  return {
    async declareIndex(name, fields, { unique, each, ...options } = {}) {
      const request: DeclareIndexRequest = {
        fields: listOf('Fields', fields),
        ...(unique && { unique }),
        ...(each && { each }),
      };
      const call = { method: 'PUT', path: indexPath(name), body: writeJson(request) } as const;
      return await send<DeclareIndexResponse>(call, options);
    },

    async indexes(options = {}) {
      const call = { method: 'GET', path: '/indexes' } as const;
      return (await send<ListIndexesResponse>(call, options)).indexes;
    },

    async dropIndex(name, options = {}) {
      await send({ method: 'DELETE', path: indexPath(name) }, options);
      return null;
    },
  };
}

function queryMembers<T>(conditions: Query<T> | undefined, options: FetchOptions<T>): QueryItemsRequest {
  const { last, desc, order, offset, select, count } = options;
  const query = Array.isArray(conditions) ? conditions : [conditions ?? {}];
  // JSON.stringify leaves out members that are undefined.
  return {
    query,
    last: last || undefined,
    sort: desc ? 'desc' : undefined,
    order,
    offset,
    select,
    count,
  } as QueryItemsRequest;
}

function itemPath(key: string): string {
  if (typeof key !== 'string' || key === '') throw invalid('Key is empty');
  return `/items/${segment('Key', key)}`;
}

function indexPath(name: string): string {
  if (typeof name !== 'string' || name === '') throw invalid('Name of the index is empty');
  return `/indexes/${segment('Name of the index', name)}`;
}

/** A conflict, with the message of npm `deta`. */
function named(cause: unknown, key: unknown): unknown {
  if (!(cause instanceof BasedriveError) || cause.code !== 'conflict') return cause;
  return new BasedriveError('conflict', `Item with key ${String(key)} already exists`, cause);
}
