import type { TextRow } from '../../engines/item-store.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { TooManyEntries } from '../indexes/entry-reading.js';
import { pageBytes } from '../limits.js';
import { writeCursor } from '../query/cursor.js';
import type { Candidate } from '../query/first-candidates.js';
import { rowsPerStep } from '../query/matches.js';
import type { Query } from '../query/query-body.js';
import type { SortOrder } from '../query/sort-order.js';
import { type Begin, readPass } from './deep-offset/ordered-pass.js';
import { createItemList, type ItemList } from './item-list.js';
import { forEachMatch, type LongQuery, type Rows } from './matching.js';
import type { Page } from './page.js';

/**
 * Reads the page of an ordered query (docs/http.md#ordered-queries). It reads every row of the key range and keeps the
 * first matches in the order: at most `limit`, at most `maxBytes`. If the matches that the offset skips have more bytes,
 * a first pass finds about where the page begins, by positions without their items, and the second one reads it. Large
 * items take a third pass or more. All passes must read the same rows.
 */
export async function readOrderedPage(
  query: Query,
  order: SortOrder,
  reader: LongQuery,
  maxBytes = pageBytes,
): Promise<Page> {
  const { limit = Number.POSITIVE_INFINITY } = query;
  const begin = { behind: query.after, passed: 0 };
  const { kept, hasMore, total } = await readBehind(begin, { query, order, limit, maxBytes }, reader);
  return { ...(await pageOf(kept, hasMore, query, order)), total };
}

interface BehindWanted {
  readonly query: Query;
  readonly order: SortOrder;
  readonly limit: number;
  readonly maxBytes: number;
}

interface Behind {
  readonly kept: readonly Candidate[];
  readonly hasMore: boolean;
  readonly total: number | undefined;
}

async function readBehind(
  from: Begin,
  { query, order, limit, maxBytes }: BehindWanted,
  reader: LongQuery,
): Promise<Behind> {
  const { offset } = query;
  let begin = from;
  let total: number | undefined;
  for (;;) {
    const pass = await readPass({ order, begin, offset, limit, maxBytes }, query, reader);
    total ??= query.count ? pass.matches : undefined;
    // With an offset, all matches are counted: it is never combined with a position to continue after.
    if (offset > 0 && offset >= pass.matches) return { kept: [], hasMore: false, total };
    if ('next' in pass) {
      begin = pass.next;
      continue;
    }
    const { candidates, skip } = pass;
    const end = skip + limit;
    if (skip === 0 || !pass.hasMore || candidates.length >= end) {
      const hasMore = pass.hasMore || candidates.length > end;
      return { kept: candidates.slice(skip, end), hasMore, total };
    }
    const passed = Math.min(skip, candidates.length);
    begin = { behind: candidates[passed - 1], passed: offset - skip + passed };
  }
}

/**
 * Reads the page from items that come in the order, until it is full. `rows` may begin before the position that the
 * query continues after. If `rows` throws `TooManyEntries`, the rest of the page is read from all items.
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
  let behind = after;
  const take = ({ key, text }: TextRow) => {
    const position = { key, values: order.valuesOf(text) };
    if (after !== undefined && order.compare(position, after) <= 0) return false;
    behind = position;
    if (passed < offset) {
      passed++;
      return false;
    }
    const size = Buffer.byteLength(text);
    bytes += size;
    hasMore = kept.length === limit || bytes > pageBytes;
    if (!hasMore) kept.push({ ...position, text, bytes: size });
    return hasMore;
  };
  try {
    await forEachMatch(rows, query, reader, take);
  } catch (cause) {
    if (!(cause instanceof TooManyEntries)) throw cause;
    const wanted = { query, order, limit: limit - kept.length, maxBytes: pageBytes - bytes };
    const rest = await readBehind({ behind, passed: passed + kept.length }, wanted, reader);
    kept.push(...rest.kept);
    hasMore = rest.hasMore;
  }
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

function* listOf(candidates: readonly Candidate[], { select }: Query): Steps<ItemList> {
  const items = createItemList();
  for (const [index, { text }] of candidates.entries()) {
    if (index % rowsPerStep === rowsPerStep - 1) yield;
    items.add(select === undefined ? text : select(text));
  }
  return items;
}
