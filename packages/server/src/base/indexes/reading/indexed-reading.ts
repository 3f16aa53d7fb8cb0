import {
  headerKey,
  type ItemStore,
  type KeyBounds,
  type ScanRange,
  type Snapshot,
  type TextRow,
} from '../../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../../lib/clock.js';
import { runInSlices, type Steps } from '../../../lib/concurrency/time-slices.js';
import { type Declaration, readDeclarations } from '../declarations/declarations.js';
import { entryPrefix, firstItemKey, itemRange } from '../entries/entries.js';
import { createReadRows, keyReader } from './entry-reading.js';
import { expiredItems } from './expired-items.js';
import { createFirstRegion } from './first-region.js';
import type { IndexUses } from './index-uses.js';
import {
  type IndexRegion,
  indexesOf,
  planOfBuilding,
  planQuery,
  type QueryNeeds,
  type QueryPlan,
} from './plan.js';
import { countRows, createGauge, type Gauge, type Pace } from './reading-cost.js';
import type { RowSource } from './row-source.js';
import { createUseIndexSync, type SynchronousIndex } from './synchronous-index.js';
import { walk } from './walk.js';
import { walkedRows } from './walked-rows.js';

/** Reads by indexes. */
export interface IndexedReading {
  /**
   * Calls `read` if an index serves the query. All that it reads is from one moment. Resolves to undefined if there is
   * no such index, or if reading by it would cost more than reading all items.
   */
  use<T>(space: string, query: IndexQuery, read: (source: RowSource) => Promise<T>): Promise<T | undefined>;
  /**
   * Calls `read` if an index serves the query and is in memory. `read` must not wait. Gives undefined if the index cannot
   * be read without waiting.
   */
  useSync<T>(
    space: string,
    query: RangeNeeds,
    read: (index: SynchronousIndex) => T | undefined,
  ): T | undefined;
}

export interface RangeNeeds extends QueryNeeds {
  readonly range: ScanRange;
}

export interface IndexQuery extends RangeNeeds, Pace {
  /** Is told the names of the indexes that will serve the query once they are built, if none serves it now. */
  readonly noteBuilding?: ((names: readonly string[]) => void) | undefined;
}

export function createIndexedReading(items: ItemStore, clock: Clock, uses: IndexUses): IndexedReading {
  const useSync = createUseIndexSync(items, clock, uses);

  return {
    useSync: (space, query, read) => (isBounded(query.range) ? undefined : useSync(space, query, read)),

    async use(space, query, read) {
      // A range of keys is expected to have few items.
      if (isBounded(query.range)) return undefined;
      if ((await items.get(space, headerKey)) === undefined) return undefined;
      // A page after a large offset, or of few matches, reads as much as a count.
      const snapshot = await items.snapshot(space, { isLong: true });
      try {
        const [header] = await snapshot.texts([headerKey]);
        const { indexes } = readDeclarations(header);
        const plans = planQuery(query, indexes);
        if (plans.length === 0) query.noteBuilding?.(planOfBuilding(query, indexes).map(({ name }) => name));
        for (const plan of plans) {
          const gauge = createGauge(snapshot, rowPerItem(indexes), query);
          try {
            const source = await sourceOf({ snapshot, plan, query, gauge }, nowSeconds(clock));
            if (source === undefined) continue;
            uses.note(space, plan, query);
            return await read(source);
          } finally {
            await gauge.close();
          }
        }
        return undefined;
      } finally {
        await snapshot.close();
      }
    },
  };
}

interface PlannedReading {
  readonly snapshot: Snapshot;
  readonly plan: QueryPlan;
  readonly query: IndexQuery;
  readonly gauge: Gauge;
}

/** What the caller may read, or undefined if that costs more than reading all items. */
async function sourceOf(
  { snapshot, plan, query, gauge }: PlannedReading,
  now: number,
): Promise<RowSource | undefined> {
  const { regions, isDecided, walk: walkPlan } = plan;
  const { order, readsAll, range } = query;
  const total = isDecided && readsAll ? await countMatches(snapshot, plan, query, now) : undefined;
  const readRows = (index: Declaration, wanted: number) =>
    createReadRows(snapshot, keyReader(index), { wanted, mayRead: gauge.mayReadInTurn });
  const all: RowSource = {
    index: indexesOf(plan),
    total,
    rows: () => snapshot.scanText(itemRange(range)),
  };
  if (order === undefined && total !== undefined) return all;
  const [only] = regions;
  const mayWalk = order !== undefined && (!readsAll || total !== undefined);
  if (mayWalk && walkPlan !== undefined && only !== undefined) {
    const { index, region } = only;
    return {
      ...all,
      inOrder: (after, wanted) =>
        walkedRows(walk({ plan: walkPlan, region, after, wanted }), {
          snapshot,
          order,
          after,
          readRows: readRows(index, wanted),
        }),
    };
  }
  let entries = 0;
  for (const { region } of regions) entries += await countRows(snapshot.counts(region), query);
  if (await gauge.mayRead(entries)) {
    return {
      ...all,
      rows: () => rowsIn(snapshot, regions, (index) => readRows(index, Number.POSITIVE_INFINITY)),
    };
  }
  return total === undefined ? undefined : all;
}

/** The items with an entry in one of the regions, each once. */
async function* rowsIn(
  snapshot: Snapshot,
  regions: readonly IndexRegion[],
  readerOf: (index: Declaration) => ReturnType<typeof createReadRows>,
): AsyncGenerator<readonly TextRow[]> {
  const firstRegion = createFirstRegion(regions);
  for (const [n, { index, region }] of regions.entries()) {
    const read = readerOf(index);
    for await (const found of snapshot.keys(region)) {
      for await (const rows of read(found))
        yield n === 0
          ? rows
          : await runInSlices(those(rows, ({ key, text }) => firstRegion(key, text) === n));
    }
  }
}

/** Those rows that fulfil a test, which may take a millisecond. */
function* those(rows: readonly TextRow[], isWanted: (row: TextRow) => boolean): Steps<readonly TextRow[]> {
  const wanted: TextRow[] = [];
  for (const row of rows) {
    if (isWanted(row)) wanted.push(row);
    yield;
  }
  return wanted;
}

/** Whether a query is about a range of keys, which is expected to have few items. */
export function isBounded({ prefix = '', gt, gte, lt, lte }: ScanRange): boolean {
  return prefix !== '' || [gt, gte, lt, lte].some((bound) => bound !== undefined);
}

/** A range with as many rows as there are items, the cheapest to count. */
function rowPerItem(indexes: readonly Declaration[]): KeyBounds {
  const index = indexes.find(({ state, each }) => state === 'ready' && !each);
  return index === undefined ? { gte: firstItemKey } : { prefix: entryPrefix(index.id) };
}

/** The number of entries in the regions of a plan that decides which items match, without those that have expired `now`. */
async function countMatches(
  snapshot: Snapshot,
  { regions, doubtful }: QueryPlan,
  pace: Pace,
  now: number,
): Promise<number | undefined> {
  const expired = await expiredItems(snapshot, now, pace);
  if (expired === undefined) return undefined;
  for (const region of doubtful) if ((await countRows(snapshot.counts(region), pace)) > 0) return undefined;
  let total = 0;
  for (const { region } of regions) total += await countRows(snapshot.counts(region), pace);
  const firstRegion = createFirstRegion(regions);
  for await (const { key, text } of expired) if (firstRegion(key, text) !== undefined) total--;
  return total;
}
