import { nowSeconds } from '../../lib/clock.js';
import { isRowExpired } from '../items/expiry.js';
import { writeCursor } from '../query/cursor.js';
import { isQuickQuery, quickCharacters, workOf, workPerStep } from '../query/evaluate.js';
import type { Query } from '../query/query-body.js';
import type { BaseReading } from './choose-source.js';
import { createByteList } from './item-list.js';
import type { Page } from './page.js';

/** How many items are read without a pause, and how many bytes of them: it takes some 0.1 ms. */
const maxItems = 128;
const maxBytes = 128 * 1024;
/** How much it may cost to compare them: see `workOf`. */
const maxWork = 4 * workPerStep;

/**
 * Reads a small page of an ordered query (docs/http.md#ordered-queries) without waiting, by an index that is in memory.
 * Gives undefined if that is not possible.
 */
export function readPageSync(query: Query, reading: Omit<BaseReading, 'turn'>): Page | undefined {
  const { range, required, conditions, order, limit, count, offset, after, select } = query;
  if (order === undefined || limit === undefined || offset + limit >= maxItems) return undefined;
  if (!isQuickQuery(query)) return undefined;
  const { space, indexed, clock, cost } = reading;
  const now = nowSeconds(clock);
  return indexed.useSync(space, { range, required, conditions, order, readsAll: count }, (index) => {
    const total = count ? index.total() : undefined;
    if (index.inOrder === undefined || (count && total === undefined)) return undefined;
    const filter = index.isDecided ? undefined : query.filter;
    const kept: { readonly key: string; readonly item: Buffer }[] = [];
    const read = { items: 0, bytes: 0 };
    let passed = 0;
    let work = 0;
    let isLong = false;
    let hasMore = false;
    index.inOrder(after, offset + limit + 1, (key, item) => {
      read.bytes += item.length;
      isLong = ++read.items > maxItems || read.bytes > maxBytes;
      if (isLong) return true;
      if (isRowExpired(item, now)) return false;
      if (filter !== undefined || after !== undefined) {
        const text = item.toString();
        if (filter !== undefined) work += workOf(query, text);
        isLong = text.length > quickCharacters || work > maxWork;
        if (isLong) return true;
        if (filter !== undefined && !filter.matches(text)) return false;
        if (after !== undefined && order.compare({ key, values: order.valuesOf(text) }, after) <= 0)
          return false;
      }
      if (passed < offset) {
        passed++;
        return false;
      }
      hasMore = kept.length === limit;
      if (!hasMore) kept.push({ key, item });
      return hasMore;
    });
    if (isLong) return undefined;
    cost.items += read.items;
    cost.bytes += read.bytes;
    cost.index = index.name;
    const last = hasMore ? kept.at(-1) : undefined;
    const shown = kept.map(({ item }) =>
      select === undefined ? item : Buffer.from(select(item.toString())),
    );
    return {
      items: createByteList(shown),
      last: last && writeCursor(order, { key: last.key, values: order.valuesOf(last.item.toString()) }),
      total,
    };
  });
}
