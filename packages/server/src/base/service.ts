import { setImmediate } from 'node:timers/promises';
import { type Clock, nowSeconds } from '../clock.js';
import {
  type Change,
  type ItemStore,
  maxDueSeconds,
  type Put,
  type ScanRange,
  type TextRow,
} from '../engines/item-store.js';
import { baseSpace } from '../spaces.js';
import { createTurns } from '../turns.js';
import { isExpired, isRowExpired } from './expiry.js';
import type { Item } from './item.js';
import { pageBytes } from './limits.js';
import { matches } from './query/match.js';
import type { Query } from './query/read.js';
import { applyUpdate } from './update.js';
import type { Update } from './update-body.js';

/** So long may a query keep all others waiting. */
const turnMs = 5;
/** The clock is looked at every so many rows, when looking costs more than a row; with many conditions, at each. */
const rowsBetweenLooks = 32;
const manyConditions = 20;
/** Pages that are put together at a time: each holds some 2 MB, more at once are no faster, and other requests wait. */
const pagesAtOnce = 4;

/** A page of a query: stored items as they are, and where to go on. */
export interface Page {
  readonly items: readonly string[];
  readonly last: string | undefined;
}

/** The operations of the database API over any row engine. Keys and items are valid: routes read them so. */
export interface BaseService {
  /** The stored bytes of the item, or undefined when there is none (or no longer). */
  get(project: string, base: string, key: string): Buffer | undefined | Promise<Buffer | undefined>;
  /** "Put Items overwrites an existing item with the same key": all of them, or none. */
  put(project: string, base: string, items: readonly Item[]): Promise<void>;
  /** "Insert Item creates an item only when no item has that key": false when one has. */
  insert(project: string, base: string, item: Item): Promise<boolean>;
  /** "Update Item changes an item only when an item with that key exists": false when none does. */
  update(project: string, base: string, key: string, update: Update): Promise<boolean>;
  /** Deletes the item, whether it exists or not. */
  remove(project: string, base: string, key: string): Promise<void>;
  /** One page: "up to 1 MB of data is read before the query filters are applied". */
  query(project: string, base: string, query: Query): Promise<Page>;
  /** Takes a row away whose item has expired; leaves it when it was put again meanwhile. */
  expire(space: string, key: string): Promise<void>;
}

export function createBaseService(items: ItemStore, clock: Clock): BaseService {
  const pageTurns = createTurns(pagesAtOnce);
  const alive = (row: Buffer | undefined) =>
    row === undefined || isRowExpired(row, nowSeconds(clock)) ? undefined : row;

  return {
    get(project, base, key) {
      const row = items.get(baseSpace(project, base), key);
      return row instanceof Promise ? row.then(alive) : alive(row);
    },

    put(project, base, puts) {
      return items.transact(baseSpace(project, base), [], () => ({
        puts: puts.map(rowOf),
        result: undefined,
      }));
    },

    insert(project, base, item) {
      return items.transact(
        baseSpace(project, base),
        [item.key],
        ([row]): Change<boolean> =>
          alive(row) === undefined ? { puts: [rowOf(item)], result: true } : { result: false },
      );
    },

    update(project, base, key, update) {
      return items.transact(baseSpace(project, base), [key], ([row]): Change<boolean> => {
        const stored = alive(row);
        if (stored === undefined) return { result: false };
        return { puts: [rowOf(applyUpdate(stored, update))], result: true };
      });
    },

    remove(project, base, key) {
      return items.transact(baseSpace(project, base), [], () => ({ deletes: [key], result: undefined }));
    },

    query(project, base, query) {
      const rows = () => items.scanText(baseSpace(project, base), stretchOf(query));
      return pageTurns(() => readPage(rows(), query, clock));
    },

    expire(space, key) {
      return items.transact(space, [key], ([row]) => ({
        deletes: row !== undefined && alive(row) === undefined ? [key] : [],
        result: undefined,
      }));
    },
  };
}

/** The item's row, due for removal from the second on from which it is gone; beyond what an engine counts, never. */
function rowOf(item: Item): Put {
  const { key, json: value, expiresAtSeconds } = item;
  return expiresAtSeconds === undefined || expiresAtSeconds > maxDueSeconds
    ? { key, value }
    : { key, value, dueSeconds: Math.max(0, expiresAtSeconds) };
}

/** The conditions on `key` bound the scan; `last` cuts off what was read before. */
function stretchOf(query: Query): ScanRange {
  const { range, last, sort, limit, alternatives } = query;
  const reverse = sort === 'desc';
  // Without a filter, one row beyond the limit tells whether another follows.
  const hint = limit !== undefined && alternatives.length === 0 ? { firstBatch: limit + 1 } : {};
  if (last === undefined) return { ...range, ...hint, reverse };
  // Both bounds hold: a `last` outside the stretch does not widen it.
  return { ...narrowed(range, reverse ? 'lt' : 'gt', last), ...hint, reverse };
}

function narrowed(range: ScanRange, bound: 'gt' | 'lt', last: string): ScanRange {
  const other = range[bound];
  if (other === undefined) return { ...range, [bound]: last };
  const order = Buffer.compare(Buffer.from(last), Buffer.from(other));
  return (bound === 'gt' ? order > 0 : order < 0) ? { ...range, [bound]: last } : range;
}

/**
 * Reads rows until the limit, the budget or the end. `last` is there exactly when the budget ran out before the
 * end of the stretch (the last key read), or when another match follows the `limit`-th (the last key returned).
 * Each batch is read off the event loop, so others are served between two of them; and however many conditions a
 * query has, they are served between two rows.
 */
async function readPage(rows: AsyncIterable<readonly TextRow[]>, query: Query, clock: Clock): Promise<Page> {
  const items: string[] = [];
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  const rowsPerLook = query.alternatives.flat().length > manyConditions ? 1 : rowsBetweenLooks;
  let bytes = 0;
  let count = 0;
  let lastRead: string | undefined;
  let lastReturned: string | undefined;
  let turnEndsMs = performance.now() + turnMs;
  for await (const batch of rows) {
    const now = nowSeconds(clock);
    for (const { key, text } of batch) {
      if (++count % rowsPerLook === 0 && performance.now() > turnEndsMs) {
        await setImmediate();
        turnEndsMs = performance.now() + turnMs;
      }
      bytes += Buffer.byteLength(text);
      if (bytes > pageBytes) return { items, last: lastRead };
      lastRead = key;
      if (isExpired(text, now) || !matches(text, query)) continue;
      if (items.length === limit) return { items, last: lastReturned };
      items.push(text);
      lastReturned = key;
    }
  }
  return { items, last: undefined };
}
