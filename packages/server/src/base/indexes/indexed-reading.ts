import { headerKey, type ItemStore, type ScanRange } from '../../engines/item-store.js';
import { readDeclarations } from './declarations.js';
import { entryPrefix } from './entries.js';
import { createReadRows, parseEntry, TooManyEntries } from './entry-reading.js';
import type { IndexedRows } from './indexed-rows.js';
import { type IndexPlan, planQuery, type Wanted } from './plan.js';
import { walk } from './walk.js';

/** Reads by indexes. */
export interface IndexedReading {
  /**
   * Calls `read` if an index serves the query. All that it reads is from one moment. Resolves to undefined if there is
   * no such index, or if reading by it turns out to take longer than reading all items: then nothing of it counts.
   */
  use<T>(
    space: string,
    query: Wanted & { readonly range: ScanRange },
    read: (items: IndexedRows) => Promise<T>,
  ): Promise<T | undefined>;
  /** Remembers how many items a base has, because reading all of them has shown it. */
  noteSize(space: string, items: number): void;
}

/**
 * Reading an item by its entry takes a few times as long as reading it in a scan. Therefore at most this share of the
 * items is read by an index, but always this number.
 */
const maxShare = 1 / 4;
const minEntries = 20_000;
const maxSizes = 10_000;

export function createIndexedReading(items: ItemStore): IndexedReading {
  const sizes = new Map<string, number>();

  return {
    async use(space, query, read) {
      // Few items are between two keys.
      if (isBounded(query.range)) return undefined;
      if ((await items.get(space, headerKey)) === undefined) return undefined;
      const snapshot = await items.snapshot(space);
      try {
        const [header] = await snapshot.texts([headerKey]);
        const plan = planQuery(query, readDeclarations(header).indexes);
        if (plan === undefined) return undefined;
        const maxEntries = Math.max(minEntries, maxShare * (sizes.get(space) ?? 0));
        const readRows = (wanted: number) =>
          createReadRows(snapshot, keyReader(plan), { wanted, maxEntries });
        const { region, walk: walkPlan } = plan;
        const { order } = query;
        return await read({
          name: plan.index.name,
          async *rows() {
            const read = readRows(Number.POSITIVE_INFINITY);
            for await (const entries of snapshot.keys(region)) yield* read(entries);
          },
          ...(walkPlan &&
            order && {
              inOrder: (after, wanted) =>
                walk({ snapshot, plan: walkPlan, region, order, after, wanted, readRows: readRows(wanted) }),
            }),
        });
      } catch (cause) {
        if (cause instanceof TooManyEntries) return undefined;
        throw cause;
      } finally {
        await snapshot.close();
      }
    },

    noteSize(space, count) {
      if (sizes.size === maxSizes) sizes.clear();
      sizes.set(space, count);
    },
  };
}

function keyReader({ index }: IndexPlan): (entry: string) => string {
  const start = entryPrefix(index.id).length;
  return (entry) => parseEntry(entry, start, index.fields.length).key;
}

function isBounded({ prefix = '', gt, gte, lt, lte }: ScanRange): boolean {
  return prefix !== '' || [gt, gte, lt, lte].some((bound) => bound !== undefined);
}
