import { itemRange } from '../indexes/entries/entries.js';
import type { Rows } from '../indexes/reading/row-source.js';
import type { TextRange } from './text-batches.js';

/** The items of a range of keys, for a query that may read many of them. */
export interface LongRange extends TextRange {
  /** Whether they are read more than once, so that all must be of one moment. */
  readonly isRepeated: boolean;
}

/**
 * Calls `read` with what gives the rows. Their batches are read in turns of pages, so where readers wait for a moment, it is
 * there before: whoever waits for one in a turn would wait for those that have one, and wait for that turn.
 */
export async function withLongRows<T>(
  { items, space, range, isRepeated }: LongRange,
  read: (rows: () => Rows) => Promise<T>,
): Promise<T> {
  const ofItems = itemRange(range);
  if (!isRepeated && items.momentsAtOnce === undefined)
    return await read(() => items.scanText(space, { ...ofItems, isLong: true }));
  const snapshot = await items.snapshot(space, { isLong: true });
  try {
    return await read(() => snapshot.scanText(ofItems));
  } finally {
    await snapshot.close();
  }
}
