import { headerKey, type ItemStore, type ScanRange, type Snapshot } from '../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { isTextRowExpired } from '../items/expiry.js';
import { readDeclarations } from './declarations.js';
import { createEntriesOf, entryPrefix, firstItemKey } from './entries.js';
import { createReadRows, keyReader } from './entry-reading.js';
import { itemRange } from './indexed-store.js';
import { type IndexPlan, isWithin, planQuery, type Wanted } from './plan.js';
import { createUsePresent, type PresentIndex } from './present-index.js';
import { countRows, createGauge, type Gauge, type Pace } from './reading-cost.js';
import type { RowSource } from './row-source.js';
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
   * Calls `read` if an index serves the query and is in memory. `read` must not wait. Gives undefined if it cannot be
   * read at once.
   */
  usePresent<T>(
    space: string,
    query: RangeWanted,
    read: (index: PresentIndex) => T | undefined,
  ): T | undefined;
}

export interface RangeWanted extends Wanted {
  readonly range: ScanRange;
}

export type IndexQuery = RangeWanted & Pace;

/** With more items that have expired and are not deleted yet, of all bases, matches are counted by reading them. */
const maxExpired = 10_000;

export function createIndexedReading(items: ItemStore, clock: Clock): IndexedReading {
  /** The number of entries in the region of a plan that decides which items match, without those that have expired. */
  async function countMatches(
    snapshot: Snapshot,
    { index, region }: IndexPlan,
    pace: Pace,
  ): Promise<number | undefined> {
    const now = nowSeconds(clock);
    const due = await snapshot.dueKeys(now, maxExpired);
    if (due === undefined) return undefined;
    let total = await countRows(snapshot.counts(region), pace);
    const entriesOf = createEntriesOf([index]);
    const keys = due.filter((key) => key >= firstItemKey);
    const texts = keys.length === 0 ? [] : await snapshot.texts(keys);
    for (const [n, key] of keys.entries()) {
      const text = texts[n];
      if (text === undefined || !isTextRowExpired({ key, text }, now)) continue;
      const [entry] = entriesOf(key, text) as [string];
      if (isWithin(region, entry)) total--;
    }
    return total;
  }

  /** What the caller may read, or undefined if that costs more than reading all items. */
  async function sourceOf(
    snapshot: Snapshot,
    plan: IndexPlan,
    query: IndexQuery,
    gauge: Gauge,
  ): Promise<RowSource | undefined> {
    const { region, isDecided, walk: walkPlan, index } = plan;
    const { order, readsAll, range } = query;
    const total = isDecided && readsAll ? await countMatches(snapshot, plan, query) : undefined;
    const readRows = (wanted: number) =>
      createReadRows(snapshot, keyReader(plan), { wanted, mayRead: gauge.mayRead });
    const all: RowSource = {
      index: index.name,
      total,
      rows: () => snapshot.scanText(itemRange(range)),
    };
    if (order === undefined && total !== undefined) return all;
    if (order !== undefined && walkPlan !== undefined && (!readsAll || total !== undefined)) {
      return {
        ...all,
        inOrder: (after, wanted) =>
          walkedRows(walk({ plan: walkPlan, region, after, wanted }), {
            snapshot,
            order,
            after,
            readRows: readRows(wanted),
          }),
      };
    }
    if (await gauge.mayRead(await countRows(snapshot.counts(region), query))) {
      return {
        ...all,
        async *rows() {
          const read = readRows(Number.POSITIVE_INFINITY);
          for await (const entries of snapshot.keys(region)) yield* read(entries);
        },
      };
    }
    return total === undefined ? undefined : all;
  }

  const usePresent = createUsePresent(items, clock);

  return {
    usePresent: (space, query, read) => (isBounded(query.range) ? undefined : usePresent(space, query, read)),

    async use(space, query, read) {
      // Few items are between two keys.
      if (isBounded(query.range)) return undefined;
      if ((await items.get(space, headerKey)) === undefined) return undefined;
      const snapshot = await items.snapshot(space);
      try {
        const [header] = await snapshot.texts([headerKey]);
        const plan = planQuery(query, readDeclarations(header).indexes);
        if (plan === undefined) return undefined;
        const gauge = createGauge(snapshot, entryPrefix(plan.index.id), query);
        try {
          const source = await sourceOf(snapshot, plan, query, gauge);
          return source && (await read(source));
        } finally {
          await gauge.close();
        }
      } finally {
        await snapshot.close();
      }
    },
  };
}

function isBounded({ prefix = '', gt, gte, lt, lte }: ScanRange): boolean {
  return prefix !== '' || [gt, gte, lt, lte].some((bound) => bound !== undefined);
}
