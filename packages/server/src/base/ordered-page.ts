import type { TextRow } from '../engines/item-store.js';
import { runInSlices, type Steps } from '../lib/time-slices.js';
import { createItemList, type ItemList } from './item-list.js';
import { pageBytes } from './limits.js';
import { forEachMatch, type LongQuery, rowsPerStep } from './matching.js';
import type { Page } from './page.js';
import { writeCursor } from './query/cursor.js';
import type { Query } from './query/query-body.js';
import type { Position, SortOrder } from './query/sort-order.js';

interface Candidate extends Position {
  readonly text: string;
  readonly bytes: number;
}

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
      const kept = candidates.slice(offset);
      const last = kept.at(-1);
      const items = await runInSlices(listOf(kept, query));
      return { items, last: hasMore && last !== undefined ? writeCursor(order, last) : undefined, total };
    }
    const passed = Math.min(offset, candidates.length);
    after = candidates[passed - 1];
    offset -= passed;
  }
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

/**
 * Keeps the first of the offered candidates, at most `limit` and `pageBytes`, in a heap with the last of them on top.
 * Nothing after a dropped candidate is accepted later, so the kept candidates have no gap.
 */
class FirstCandidates {
  private readonly heap: Candidate[] = [];
  private bytes = 0;
  /** The first candidate that was dropped. */
  private bound: Position | undefined;

  constructor(
    private readonly order: SortOrder,
    private readonly limit: number,
  ) {}

  /** Whether a candidate was dropped. */
  get hasMore(): boolean {
    return this.bound !== undefined;
  }

  offer({ key, values }: Position, text: string): void {
    if (this.bound !== undefined && this.order.compare({ key, values }, this.bound) > 0) return;
    const bytes = Buffer.byteLength(text);
    this.bytes += bytes;
    this.heap.push({ key, values, text, bytes });
    this.rise(this.heap.length - 1);
    while (this.heap.length > this.limit || this.bytes > pageBytes) {
      const { key, values } = this.dropLast();
      this.bound = { key, values };
    }
  }

  /** Removes all candidates from the heap and gives them in the order. */
  *inOrder(): Steps<readonly Candidate[]> {
    const candidates: Candidate[] = [];
    while (this.heap.length > 0) {
      candidates.push(this.dropLast());
      if (candidates.length % rowsPerStep === 0) yield;
    }
    return candidates.reverse();
  }

  private dropLast(): Candidate {
    const [top] = this.heap;
    const moved = this.heap.pop();
    if (top === undefined || moved === undefined) throw new Error('the heap is empty');
    if (this.heap.length > 0) {
      this.heap[0] = moved;
      this.sink();
    }
    this.bytes -= top.bytes;
    return top;
  }

  private rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isBehind(at, parent)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.heap.length) return;
      const right = left + 1;
      const larger = right < this.heap.length && this.isBehind(right, left) ? right : left;
      if (!this.isBehind(larger, at)) return;
      this.swap(at, larger);
      at = larger;
    }
  }

  private isBehind(a: number, b: number): boolean {
    return this.order.compare(this.heap[a] as Candidate, this.heap[b] as Candidate) > 0;
  }

  private swap(a: number, b: number): void {
    const moved = this.heap[a] as Candidate;
    this.heap[a] = this.heap[b] as Candidate;
    this.heap[b] = moved;
  }
}
