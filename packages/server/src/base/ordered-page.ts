import type { TextRow } from '../engines/item-store.js';
import { runInSlices, type Steps } from '../lib/time-slices.js';
import { type Candidate, FirstCandidates } from './first-candidates.js';
import { createItemList, type ItemList } from './item-list.js';
import { pageBytes } from './limits.js';
import { forEachMatch, type LongQuery, type Rows, rowsPerStep } from './matching.js';
import type { Page } from './page.js';
import { writeCursor } from './query/cursor.js';
import type { Query } from './query/query-body.js';
import type { Position, SortOrder } from './query/sort-order.js';

/**
 * Reads the page of an ordered query (docs/http.md#ordered-queries). It reads every row of the key range and keeps the
 * first matches in the order: at most `limit`, at most 1 MiB. Matches that the offset skips must be among those that
 * are kept, so a large offset needs several passes over the range.
 */
export async function readOrderedPage(query: Query, order: SortOrder, reader: LongQuery): Promise<Page> {
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  let { after, offset } = query;
  let total: number | undefined;
  for (;;) {
    const reading = await readFirst({ order, after, limit: offset + limit }, query, reader);
    total ??= query.count ? reading.matches : undefined;
    const { candidates, hasMore } = reading;
    // This is only possible in the first pass: an offset is never combined with a position to continue after.
    const isPastEnd = after === undefined && offset >= reading.matches;
    const isWhole = offset === 0 || isPastEnd || !hasMore || candidates.length >= offset + limit;
    if (isWhole) {
      return { ...(await pageOf(candidates.slice(offset), hasMore, query, order)), total };
    }
    const passed = Math.min(offset, candidates.length);
    after = candidates[passed - 1];
    offset -= passed;
  }
}

/**
 * Reads the page from items that come in the order, until it is full. `rows` may begin before the position that the
 * query continues after.
 */
export async function readPageInOrder(
  query: Query,
  order: SortOrder,
  rows: Rows,
  reader: LongQuery,
): Promise<Page> {
  const { after, offset, limit = Number.POSITIVE_INFINITY } = query;
  const kept: Candidate[] = [];
  let passed = 0;
  let bytes = 0;
  let hasMore = false;
  await forEachMatch(rows, query, reader, ({ key, text }: TextRow) => {
    const position = { key, values: order.valuesOf(text) };
    if (after !== undefined && order.compare(position, after) <= 0) return false;
    if (passed < offset) {
      passed++;
      return false;
    }
    const size = Buffer.byteLength(text);
    bytes += size;
    hasMore = kept.length === limit || bytes > pageBytes;
    if (!hasMore) kept.push({ ...position, text, bytes: size });
    return hasMore;
  });
  return await pageOf(kept, hasMore, query, order);
}

async function pageOf(
  kept: readonly Candidate[],
  hasMore: boolean,
  query: Query,
  order: SortOrder,
): Promise<Page> {
  const last = kept.at(-1);
  const items = await runInSlices(listOf(kept, query));
  return { items, last: hasMore && last !== undefined ? writeCursor(order, last) : undefined };
}

interface FirstOf {
  readonly order: SortOrder;
  readonly after: Position | undefined;
  readonly limit: number;
}

/** Finds the first matches after a position, in the order. Also counts the matches before and after the position. */
async function readFirst(wanted: FirstOf, query: Query, reader: LongQuery) {
  const { order, after, limit } = wanted;
  const first = new FirstCandidates(order, limit);
  let matches = 0;
  await forEachMatch(reader.scan(query.range), query, reader, ({ key, text }: TextRow) => {
    matches++;
    const position = { key, values: order.valuesOf(text) };
    if (after === undefined || order.compare(position, after) > 0) first.offer(position, text);
    return false;
  });
  const { hasMore } = first;
  return { matches, hasMore, candidates: await runInSlices(first.inOrder()) };
}

function* listOf(candidates: readonly Candidate[], { select }: Query): Steps<ItemList> {
  const items = createItemList();
  for (const [index, { text }] of candidates.entries()) {
    if (index % rowsPerStep === rowsPerStep - 1) yield;
    items.add(select === undefined ? text : select(text));
  }
  return items;
}
