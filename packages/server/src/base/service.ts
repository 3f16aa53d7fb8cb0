import {
  type Change,
  type ItemStore,
  maxDueSeconds,
  type Put,
  type ScanRange,
} from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { baseSpace } from '../spaces.js';
import { isRowExpired } from './expiry.js';
import type { Item } from './item.js';
import { type Page, readPage } from './page.js';
import { createPageScheduler } from './page-scheduler.js';
import type { Query } from './query/read.js';
import { applyUpdate } from './update.js';
import type { Update } from './update-body.js';

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
  const pages = createPageScheduler();
  const alive = (row: Buffer | undefined) =>
    row === undefined || isRowExpired(row, nowSeconds(clock)) ? undefined : row;

  return {
    get(project, base, key) {
      pages.noteOtherRequest();
      const row = items.get(baseSpace(project, base), key);
      return row instanceof Promise ? row.then(alive) : alive(row);
    },

    put(project, base, puts) {
      pages.noteOtherRequest();
      return items.transact(baseSpace(project, base), [], () => ({
        puts: puts.map(rowOf),
        result: undefined,
      }));
    },

    insert(project, base, item) {
      pages.noteOtherRequest();
      return items.transact(
        baseSpace(project, base),
        [item.key],
        ([row]): Change<boolean> =>
          alive(row) === undefined ? { puts: [rowOf(item)], result: true } : { result: false },
      );
    },

    update(project, base, key, update) {
      pages.noteOtherRequest();
      return items.transact(baseSpace(project, base), [key], ([row]): Change<boolean> => {
        const stored = alive(row);
        if (stored === undefined) return { result: false };
        return { puts: [rowOf(applyUpdate(stored, update))], result: true };
      });
    },

    remove(project, base, key) {
      pages.noteOtherRequest();
      return items.transact(baseSpace(project, base), [], () => ({ deletes: [key], result: undefined }));
    },

    query(project, base, query) {
      const rows = () => items.scanText(baseSpace(project, base), scanRangeOf(query));
      return pages.run(() => readPage(rows(), query, clock));
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
function scanRangeOf(query: Query): ScanRange {
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
