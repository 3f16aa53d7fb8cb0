import { setImmediate } from 'node:timers/promises';
import type { TextRow } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { isExpired } from './expiry.js';
import { createItemList, type ItemList } from './item-list.js';
import { pageBytes } from './limits.js';
import { matches } from './query/match.js';
import type { Query } from './query/read.js';

/** A page of a query: stored items as they are, and where to go on. */
export interface Page {
  readonly items: ItemList;
  readonly last: string | undefined;
}

/** So long may a query keep all others waiting. */
const turnMs = 5;
/** The clock is looked at every so many rows, when looking costs more than a row; with many conditions, at each. */
const rowsBetweenLooks = 32;
const manyConditions = 20;

/**
 * Reads rows until the limit, the budget or the end. `last` is there exactly when the budget ran out before the
 * end of the stretch (the last key read), or when another match follows the `limit`-th (the last key returned).
 * Each batch is read off the event loop, so others are served between two of them; and however many conditions a
 * query has, they are served between two rows.
 */
export async function readPage(
  rows: AsyncIterable<readonly TextRow[]>,
  query: Query,
  clock: Clock,
): Promise<Page> {
  const items = createItemList();
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
      if (items.count === limit) return { items, last: lastReturned };
      items.add(text);
      lastReturned = key;
    }
  }
  return { items, last: undefined };
}
