import type { TextRow } from '../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import type { Semaphore } from '../../lib/concurrency/semaphore.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { untilAbandoned } from '../../request-error.js';
import type { Rows } from '../indexes/reading/row-source.js';
import { isTextRowExpired } from '../items/expiry.js';
import { createPace, type ItemFilter, matches, quickCharacters } from '../query/evaluate.js';

/** What was read for a query: the number of items, and their bytes. */
export interface ReadCost {
  items: number;
  bytes: number;
  /** The name of the index that was used, or the names of several. */
  index?: string | undefined;
  /** The names of those that would have been used if they were built. */
  building?: string | undefined;
}

/** How the items of a query are read and compared with it. */
export interface Reading {
  readonly clock: Clock;
  /** Limits how many batches are read and compared at once. */
  readonly turn: Semaphore;
  /** Whether the client has closed the connection. Then the reading ends with an error. */
  readonly isAbandoned: () => boolean;
  /** What is read is added to it. */
  readonly cost: ReadCost;
}

/** What the caller of `matchesOf` still needs. It is read again before each batch. */
interface Remaining {
  /** How many more matches, at most. */
  readonly left: number;
}

const allOfThem: Remaining = { left: Number.POSITIVE_INFINITY };

/**
 * Gives the matches among the rows, batch by batch: one batch is in memory, whatever the number of matches. A batch has at
 * most as many as are still needed. No row after them is compared before more are.
 */
export async function* matchesOf(
  rows: Rows,
  filter: ItemFilter,
  { clock, turn, isAbandoned, cost }: Reading,
  remaining: Remaining = allOfThem,
): AsyncGenerator<readonly TextRow[], void, undefined> {
  const iterator = rows[Symbol.asyncIterator]();
  const room = untilAbandoned(isAbandoned);
  const isPauseDue = createPace(filter);
  let unread: readonly TextRow[] = [];
  try {
    while (remaining.left > 0) {
      room.check();
      const judged = await turn(async () => {
        if (unread.length === 0) {
          const next = await iterator.next();
          if (next.done) return undefined;
          unread = next.value;
        }
        return await runInSlices(
          judge(unread, filter, remaining.left, { now: nowSeconds(clock), cost, isPauseDue }),
          room,
        );
      });
      if (judged === undefined) return;
      unread = unread.slice(judged.read);
      yield judged.found;
    }
  } finally {
    await iterator.return?.();
  }
}

interface Judged {
  readonly found: readonly TextRow[];
  /** How many rows were compared. */
  readonly read: number;
}

interface Judging {
  readonly now: number;
  readonly cost: ReadCost;
  readonly isPauseDue: (text: string) => boolean;
}

/** Finds those of a batch of rows that match, `most` at most. */
function* judge(
  batch: readonly TextRow[],
  filter: ItemFilter,
  most: number,
  { now, cost, isPauseDue }: Judging,
): Steps<Judged> {
  const found: TextRow[] = [];
  let read = 0;
  for (const row of batch) {
    read++;
    cost.items++;
    if (isPauseDue(row.text) || row.text.length > quickCharacters) yield;
    cost.bytes += row.bytes;
    if (isTextRowExpired(row, now)) continue;
    const matching = matches(filter, row.text);
    if (!(typeof matching === 'boolean' ? matching : yield* matching)) continue;
    found.push(row);
    if (found.length === most) break;
  }
  return { found, read };
}
