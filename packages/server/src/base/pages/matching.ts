import type { ScanRange, TextRow } from '../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import type { Semaphore } from '../../lib/concurrency/semaphore.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import type { IndexedRows } from '../indexes/indexed-rows.js';
import type { Wanted } from '../indexes/plan.js';
import { isTextRowExpired } from '../items/expiry.js';
import { matches, quickCharacters, rowsPerStep } from '../query/matches.js';
import type { Query } from '../query/query-body.js';
import { whileWanted } from './while-wanted.js';

/** Batches of rows, in the order of their keys. */
export type Rows = AsyncIterable<readonly TextRow[]>;

/** What a query that reads more than a page depends on. */
export interface LongQuery {
  /** Gives all rows of a range. */
  readonly scan: (range: ScanRange) => Rows;
  /** Calls `read` with a `scan` whose rows are all from one moment. */
  readonly atOneMoment: <T>(read: (scan: (range: ScanRange) => Rows) => Promise<T>) => Promise<T>;
  /** Reads the items that may match by an index, if one serves the query. Resolves to undefined if none does. */
  readonly useIndex: <T>(wanted: Wanted, read: (items: IndexedRows) => Promise<T>) => Promise<T | undefined>;
  /** Gives the rows of a page in the order of the keys. */
  readonly scanPage: (query: Query) => Rows;
  readonly clock: Clock;
  /** Limits how many batches are read and evaluated at once. */
  readonly turn: Semaphore;
  /** Whether the client has closed the connection. Then the query ends with an error. */
  readonly isAbandoned: () => boolean;
  /** The cost of the query is added to it as rows are read. */
  readonly cost: ReadCost;
}

/** What was read for a query: the number of items, and their bytes. */
export interface ReadCost {
  items: number;
  bytes: number;
  /** The name of the index that was used. */
  index?: string;
}

/** Called with each match. Gives true when no more matches are needed, or the steps in which it is found out. */
export type Take = (row: TextRow) => boolean | Steps<boolean>;

/** Calls `take` with each match among the rows. One batch at a time is in memory, whatever the number of matches. */
export async function forEachMatch(
  rows: Rows,
  query: Query,
  { clock, turn, isAbandoned, cost }: LongQuery,
  take: Take,
): Promise<void> {
  function* read(batch: readonly TextRow[]): Steps<boolean> {
    const now = nowSeconds(clock);
    for (const row of batch) {
      if (++cost.items % rowsPerStep === 0 || row.text.length > quickCharacters) yield;
      cost.bytes += Buffer.byteLength(row.text);
      if (isTextRowExpired(row, now)) continue;
      const matching = matches(query, row.text);
      const isMatch = typeof matching === 'boolean' ? matching : yield* matching;
      if (!isMatch) continue;
      const isEnough = take(row);
      if (typeof isEnough === 'boolean' ? isEnough : yield* isEnough) return true;
    }
    return false;
  }

  const iterator = rows[Symbol.asyncIterator]();
  const room = whileWanted(isAbandoned);
  try {
    for (let isOver = false; !isOver; ) {
      room.check();
      isOver = await turn(async () => {
        const next = await iterator.next();
        return next.done === true || (await runInSlices(read(next.value), room));
      });
    }
  } finally {
    await iterator.return?.();
  }
}
