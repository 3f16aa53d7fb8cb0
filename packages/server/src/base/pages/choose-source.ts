import type { ItemStore } from '../../engines/item-store.js';
import { untilAbandoned } from '../../request-error.js';
import { itemRange } from '../indexes/entries/entries.js';
import type { IndexedReading, IndexQuery, RangeNeeds } from '../indexes/reading/indexed-reading.js';
import type { RowSource, Rows } from '../indexes/reading/row-source.js';
import type { Reading } from './matches-of.js';
import type { TextRange } from './text-batches.js';

/** Reads a base for a query that may read more than a page. */
export interface BaseReading extends Reading {
  readonly space: string;
  readonly items: ItemStore;
  readonly indexed: IndexedReading;
}

export interface SourceNeeds extends RangeNeeds {
  /** Whether the items are read more than once, so that all must be of one moment. */
  readonly isRepeated: boolean;
}

/** Calls `read` with the source that costs least: an index, or all items of the range. Notes the index in the cost. */
export async function fromBestSource<T>(
  { space, items, indexed, ...reading }: BaseReading,
  { range, isRepeated, ...needs }: SourceNeeds,
  read: (source: RowSource) => Promise<T>,
): Promise<T> {
  const byIndex = await indexed.use(space, asked({ ...needs, range }, reading), async (source) => {
    const result = await read(source);
    reading.cost.index = source.index;
    return { result };
  });
  if (byIndex !== undefined) return byIndex.result;
  return await withLongRows({ items, space, range, isRepeated }, (rows) => read({ rows }));
}

/** What is asked of indexes for a query: they are read at its pace, and those that are being built are noted in the cost. */
export function asked(needs: RangeNeeds, { turn, isAbandoned, cost }: Omit<Reading, 'clock'>): IndexQuery {
  const { check } = untilAbandoned(isAbandoned);
  const noteBuilding = (names: readonly string[]) => {
    if (names.length > 0) cost.building = names.join(', ');
  };
  return { ...needs, turn, check, noteBuilding };
}

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
