import type { TextRow } from '../../engines/item-store.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { TooManyEntries } from '../indexes/reading/entry-reading.js';
import type { RowSource } from '../indexes/reading/row-source.js';
import { pageBytes } from '../limits.js';
import { writeCursor } from '../query/cursor.js';
import { rowsPerStep } from '../query/evaluate.js';
import type { Candidate } from '../query/first-candidates.js';
import type { OrderedQuery } from '../query/query-body.js';
import type { Position } from '../query/sort-order.js';
import { createItemList, type ItemList } from './item-list.js';
import { matchesOf, type Reading } from './matches-of.js';
import type { Page } from './page.js';
import { type Found, readSorted } from './sorting/read-sorted.js';

/** Reads the page of an ordered query (docs/http.md#ordered-queries). */
export async function readOrderedPage(
  query: OrderedQuery,
  source: RowSource,
  reading: Reading,
  maxBytes = pageBytes,
): Promise<Page> {
  const { kept, hasMore, total } = await readFirst(query, source, reading, maxBytes);
  return { ...(await pageOf(kept, hasMore, query)), total: source.total ?? total };
}

/** Reads the first matches in the order of the query: at most its limit, at most `maxBytes`. */
export function readFirst(
  query: OrderedQuery,
  source: RowSource,
  reading: Reading,
  maxBytes = pageBytes,
): Promise<Found> {
  const { inOrder } = source;
  if (inOrder !== undefined) return readInOrder(query, { ...source, inOrder }, reading);
  const { limit = Number.POSITIVE_INFINITY } = query;
  return readSorted({ query, limit, maxBytes, begin: { after: query.after, passed: 0 } }, source, reading);
}

/**
 * Reads items that come in the order, until the page is full. They may begin before the position that the query
 * continues after. If to read on in the order would cost more than to read all items, the rest is read from all.
 */
async function readInOrder(
  query: OrderedQuery,
  source: RowSource & { readonly inOrder: NonNullable<RowSource['inOrder']> },
  reading: Reading,
): Promise<Found> {
  const { limit = Number.POSITIVE_INFINITY } = query;
  const first = new FirstInOrder(query, limit);
  const rows = source.inOrder(query.after, first.left);
  try {
    for await (const found of matchesOf(rows, query, reading, first)) {
      if (await runInSlices(first.take(found))) break;
    }
  } catch (cause) {
    if (!(cause instanceof TooManyEntries)) throw cause;
    const { kept, passed, last, bytes } = first;
    const begin = { after: last, passed: passed + kept.length };
    const wanted = { query, limit: limit - kept.length, maxBytes: pageBytes - bytes, begin };
    const rest = await readSorted(wanted, source, reading);
    return { kept: [...kept, ...rest.kept], hasMore: rest.hasMore, total: undefined };
  }
  return { kept: first.kept, hasMore: first.hasMore, total: undefined };
}

/** The first matches that come in the order, from where the page begins until it is full. */
class FirstInOrder {
  readonly kept: Candidate[] = [];
  /** How many matches the offset has skipped. */
  passed = 0;
  /** The last match that was skipped or kept. */
  last: Position | undefined;
  bytes = 0;
  /** Whether a match follows the kept ones. */
  hasMore = false;

  constructor(
    private readonly query: OrderedQuery,
    private readonly limit: number,
  ) {
    this.last = query.after;
  }

  /** How many more matches are wanted: one after the page shows that there is a next one. */
  get left(): number {
    return this.query.offset - this.passed + this.limit - this.kept.length + 1;
  }

  /** Takes a batch of matches. Gives true when the page is full. */
  *take(found: readonly TextRow[]): Steps<boolean> {
    const { after, offset, order } = this.query;
    for (const [n, { key, text, bytes }] of found.entries()) {
      if (n % rowsPerStep === rowsPerStep - 1) yield;
      const position = { key, values: order.valuesOf(text) };
      if (after !== undefined && order.compare(position, after) <= 0) continue;
      if (this.passed < offset) {
        this.last = position;
        this.passed++;
        continue;
      }
      this.hasMore = this.kept.length === this.limit || this.bytes + bytes > pageBytes;
      if (this.hasMore) return true;
      this.last = position;
      this.bytes += bytes;
      this.kept.push({ ...position, text, bytes });
    }
    return false;
  }
}

async function pageOf(
  kept: readonly Candidate[],
  hasMore: boolean,
  { order, select }: OrderedQuery,
): Promise<Page> {
  const last = kept.at(-1);
  const items = await runInSlices(listOf(kept, select));
  return { items, last: hasMore && last !== undefined ? writeCursor(order, last) : undefined };
}

function* listOf(candidates: readonly Candidate[], select: OrderedQuery['select']): Steps<ItemList> {
  const items = createItemList();
  for (const [index, { text }] of candidates.entries()) {
    if (index % rowsPerStep === rowsPerStep - 1) yield;
    items.add(select === undefined ? text : select(text));
  }
  return items;
}
