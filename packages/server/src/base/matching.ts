import type { ScanRange, TextRow } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Semaphore } from '../lib/semaphore.js';
import { runInSlices, type Steps } from '../lib/time-slices.js';
import { abandoned } from '../request-error.js';
import { isExpired } from './expiry.js';
import type { Query } from './query/query-body.js';

/** A pause may be made after so many rows. */
export const rowsPerStep = 32;
/** So many conditions of an item of so much are evaluated without a pause. */
const quickConditions = 20;
const quickCharacters = 16 * 1024;

/** Whether a stored item matches; of a large item or query in steps. */
export function matches(
  { filter, conditions }: Pick<Query, 'filter' | 'conditions'>,
  text: string,
): boolean | Steps<boolean> {
  if (filter === undefined) return true;
  const isQuick = conditions <= quickConditions && text.length <= quickCharacters;
  return isQuick ? filter.matches(text) : filter.matchesInSteps(text);
}

/** Batches of rows, in the order of their keys. */
export type Rows = AsyncIterable<readonly TextRow[]>;

/** What a query that reads more than a page depends on. */
export interface LongQuery {
  /** All rows of a range. */
  readonly scan: (range: ScanRange) => Rows;
  /** The rows of a page by key. */
  readonly scanPage: (query: Query) => Rows;
  readonly clock: Clock;
  /** Each batch is read and evaluated in its turn. */
  readonly turn: Semaphore;
  /** Then it ends with an error. */
  readonly isAbandoned: () => boolean;
  /** What was read so far is added to it. */
  readonly cost: ReadCost;
}

/** What was read for a query. */
export interface ReadCost {
  items: number;
  bytes: number;
}

/** Called with each match. True: no more are needed. */
export type Take = (row: TextRow) => boolean;

/** Reads all matches among the rows, however many they are, and holds one batch in memory. */
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
      if (isExpired(row.text, now)) continue;
      const matching = matches(query, row.text);
      const isMatch = typeof matching === 'boolean' ? matching : yield* matching;
      if (isMatch && take(row)) return true;
    }
    return false;
  }

  const iterator = rows[Symbol.asyncIterator]();
  try {
    for (let isOver = false; !isOver; ) {
      if (isAbandoned()) throw abandoned();
      isOver = await turn(async () => {
        const next = await iterator.next();
        return next.done === true || (await runInSlices(read(next.value)));
      });
    }
  } finally {
    await iterator.return?.();
  }
}
