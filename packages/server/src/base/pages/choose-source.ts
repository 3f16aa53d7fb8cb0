import type { ItemStore, ScanRange } from '../../engines/item-store.js';
import type { IndexedReading } from '../indexes/reading/indexed-reading.js';
import type { QueryNeeds } from '../indexes/reading/plan.js';
import type { RowSource } from '../indexes/reading/row-source.js';
import { withLongRows } from './long-rows.js';
import type { Reading } from './matches-of.js';
import { untilAbandoned } from './until-abandoned.js';

/** Reads a base for a query that may read more than a page. */
export interface BaseReading extends Reading {
  readonly space: string;
  readonly items: ItemStore;
  readonly indexed: IndexedReading;
}

export interface SourceNeeds extends QueryNeeds {
  readonly range: ScanRange;
  /** Whether the items are read more than once, so that all must be of one moment. */
  readonly isRepeated: boolean;
}

/** Calls `read` with the source that costs least: an index, or all items of the range. Notes the index in the cost. */
export async function fromBestSource<T>(
  { space, items, indexed, turn, isAbandoned, cost }: BaseReading,
  { range, isRepeated, ...needs }: SourceNeeds,
  read: (source: RowSource) => Promise<T>,
): Promise<T> {
  const { check } = untilAbandoned(isAbandoned);
  const noteBuilding = (names: readonly string[]) => {
    if (names.length > 0) cost.building = names.join(', ');
  };
  const asked = { ...needs, range, turn, check, noteBuilding };
  const byIndex = await indexed.use(space, asked, async (source) => {
    const result = await read(source);
    cost.index = source.index;
    return { result };
  });
  if (byIndex !== undefined) return byIndex.result;
  return await withLongRows({ items, space, range, isRepeated }, (rows) => read({ rows }));
}
