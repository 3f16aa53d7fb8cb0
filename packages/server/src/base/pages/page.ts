import type { ItemStore, ScanRange, TextRow } from '../../engines/item-store.js';
import { isDamage, toldDamage } from '../../engines/storage-errors.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { untilAbandoned } from '../../request-error.js';
import type { Rows } from '../indexes/reading/row-source.js';
import { isTextRowExpired } from '../items/expiry.js';
import { keyProblem } from '../items/key.js';
import { pageBytes } from '../limits.js';
import { createPace, matches } from '../query/evaluate.js';
import type { Query } from '../query/query-body.js';
import { createItemList, type FinishedList } from './item-list.js';
import type { Reading } from './matches-of.js';

/** A page of a query: the stored items, and where the next page begins (docs/http.md#pages). */
export interface Page {
  readonly items: FinishedList;
  readonly last: string | undefined;
  /** The number of all matches, if the query asks for it. */
  readonly total?: number | undefined;
}

/**
 * Reads rows until the limit, the page size or the end of the range is reached. `last` is present in two cases. If the
 * page size was reached before the end of the range, it is the last key that was read. If another match follows the
 * `limit`-th, it is the last key that is returned. Other requests are served between two batches, between rows, and
 * between the conditions of a large item.
 */
export async function readPage(
  rows: AsyncIterable<readonly TextRow[]>,
  query: Query,
  { clock, cost, isAbandoned }: Omit<Reading, 'turn' | 'cost'> & Partial<Pick<Reading, 'cost'>>,
): Promise<Page> {
  const reader = new PageReader(query, clock);
  const room = untilAbandoned(isAbandoned);
  try {
    for await (const batch of rows) {
      room.check();
      const isFull = await runInSlices(reader.read(batch), room);
      if (isFull) break;
    }
  } catch (cause) {
    // Damage after the last item that is wanted is found by the next page.
    if (!isDamage(cause) || !reader.endIfFull()) throw toldDamage(cause, keyOrNothing);
  }
  if (cost !== undefined) {
    cost.items += reader.rows;
    cost.bytes += reader.bytes;
  }
  return { items: reader.items, last: reader.last };
}

function keyOrNothing(text: string): string | undefined {
  return keyProblem(text) === undefined ? text : undefined;
}

class PageReader {
  readonly items = createItemList();
  /** The key after which the next page begins, once the page is full. */
  last: string | undefined;
  private readonly limit: number;
  private readonly isPauseDue: (text: string) => boolean;
  bytes = 0;
  rows = 0;
  private lastRead: string | undefined;
  private lastReturned: string | undefined;

  constructor(
    private readonly query: Query,
    private readonly clock: Clock,
  ) {
    this.isPauseDue = createPace(query);
    this.limit = query.limit ?? Number.POSITIVE_INFINITY;
  }

  /** Reads a batch. Gives true when the page is full. */
  *read(batch: readonly TextRow[]): Steps<boolean> {
    const { select } = this.query;
    const now = nowSeconds(this.clock);
    for (const row of batch) {
      const { key, text, bytes } = row;
      this.rows++;
      if (this.isPauseDue(text)) yield;
      this.bytes += bytes;
      if (this.bytes > pageBytes) return this.endAt(this.lastRead);
      this.lastRead = key;
      if (isTextRowExpired(row, now)) continue;
      const matching = matches(this.query, text);
      if (!(typeof matching === 'boolean' ? matching : yield* matching)) continue;
      if (this.items.count === this.limit) return this.endAt(this.lastReturned);
      this.items.add(select === undefined ? text : select(text));
      this.lastReturned = key;
    }
    return false;
  }

  /** Ends the page if it has as many items as it may: whether another match follows is not known. */
  endIfFull(): boolean {
    return this.items.count === this.limit && this.endAt(this.lastReturned);
  }

  private endAt(last: string | undefined): true {
    this.last = last;
    return true;
  }
}

/**
 * The rows of a page in the order of the keys: the bounds are the conditions on `key`, and `last` moves one of them
 * (docs/http.md#conditions-on-key).
 */
export function pageRows(items: ItemStore, space: string, query: Query): Rows {
  const { range, last, sort, limit, filter } = query;
  const reverse = sort === 'desc';
  // Without a filter, one row more than the limit is enough to know whether another match follows.
  const hint = limit !== undefined && filter === undefined ? { firstBatch: limit + 1 } : {};
  // Both bounds apply: a `last` outside the range does not widen it.
  const within = last === undefined ? range : narrowed(range, reverse ? 'lt' : 'gt', last);
  return items.scanText(space, { ...within, ...hint, reverse });
}

function narrowed(range: ScanRange, bound: 'gt' | 'lt', last: string): ScanRange {
  const other = range[bound];
  if (other === undefined) return { ...range, [bound]: last };
  const order = Buffer.compare(Buffer.from(last), Buffer.from(other));
  return (bound === 'gt' ? order > 0 : order < 0) ? { ...range, [bound]: last } : range;
}
