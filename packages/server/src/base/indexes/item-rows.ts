import {
  type Change,
  type Decide,
  headerKey,
  type ItemStore,
  type Put,
  type ScanRange,
} from '../../engines/item-store.js';
import { compareUtf8 } from '../../lib/utf8-order.js';
import { readDeclarations } from './declarations.js';
import { createEntriesOf, type EntriesOf, firstItemKey, maintained } from './entries.js';

/** The rows of the items of a base: scans give nothing else, and every change of an item changes its entries too. */
export interface ItemRows extends ItemStore {
  /**
   * As in the contract of the item store. `changed` has keys that the change may have besides `keys`: it saves a second
   * attempt if the base has indexes.
   */
  transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    changed?: readonly string[],
  ): Promise<T>;
}

type Attempt<T> = { readonly result: T } | { readonly unread: readonly string[] };

/** The maximum number of bases of which it is remembered that they have indexes. It only saves attempts. */
const maxIndexed = 10_000;
const maxKnownHeaders = 1000;

/**
 * An item store over the same rows in which items are kept in step with the indexes of their base. Each transaction
 * reads the header of its space. If there is none, nothing else happens. If there are indexes, the transaction also
 * reads the items that it replaces, because their entries must go.
 */
export function createItemRows(items: ItemStore): ItemRows {
  /** Spaces that had indexes when they were last written. */
  const indexed = new Set<string>();
  const entriesByHeader = new Map<string, EntriesOf | undefined>();

  function entriesOf(header: Buffer): EntriesOf | undefined {
    const id = header.toString();
    if (entriesByHeader.has(id)) return entriesByHeader.get(id);
    const indexes = maintained(readDeclarations(id));
    const entries = indexes.length === 0 ? undefined : createEntriesOf(indexes);
    if (entriesByHeader.size === maxKnownHeaders) entriesByHeader.clear();
    entriesByHeader.set(id, entries);
    return entries;
  }

  function remember(space: string, hasIndexes: boolean): void {
    if (!hasIndexes) {
      if (indexed.size > 0) indexed.delete(space);
      return;
    }
    if (indexed.size === maxIndexed) indexed.clear();
    indexed.add(space);
  }

  function attempt<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    extra: readonly string[],
  ): Promise<Attempt<T>> {
    const read = [headerKey, ...keys, ...extra];
    return items.transact(space, read, ([header, ...rows]): Change<Attempt<T>> => {
      const change = decide(extra.length === 0 ? rows : rows.slice(0, keys.length));
      const entries = header === undefined ? undefined : entriesOf(header);
      remember(space, entries !== undefined);
      if (entries === undefined) return { ...change, result: { result: change.result } };
      const stored = new Map(read.slice(1).map((key, index) => [key, rows[index]]));
      const touched = [...(change.puts ?? []).map(({ key }) => key), ...(change.deletes ?? [])];
      const unread = touched.filter((key) => !stored.has(key));
      if (unread.length > 0) return { result: { unread } };
      return { ...withEntries(change, stored, entries), result: { result: change.result } };
    });
  }

  return {
    ...items,

    async transact<T>(
      space: string,
      keys: readonly string[],
      decide: Decide<T>,
      changed: readonly string[] = [],
    ) {
      let extra: readonly string[] = [];
      if (changed.length > 0 && indexed.has(space)) {
        const known = new Set(keys);
        extra = changed.filter((key) => !known.has(key));
      }
      for (;;) {
        const outcome = await attempt(space, keys, decide, extra);
        if ('result' in outcome) return outcome.result;
        extra = [...extra, ...outcome.unread];
      }
    },

    scan: (space, range) => items.scan(space, itemRange(range)),
    scanText: (space, range) => items.scanText(space, itemRange(range)),
  };
}

/** Adds what happens to the entries of the items that change. An entry that stays the same is not written. */
function withEntries(
  change: Change<unknown>,
  stored: ReadonlyMap<string, Buffer | undefined>,
  entriesOf: EntriesOf,
): { puts: readonly Put[]; deletes: readonly string[] } {
  const puts: Put[] = [...(change.puts ?? [])];
  const deletes: string[] = [...(change.deletes ?? [])];
  const before = (key: string) => {
    const row = stored.get(key);
    return row === undefined ? [] : entriesOf(key, row.toString());
  };
  for (const { key, value } of change.puts ?? []) {
    const old = before(key);
    for (const [index, entry] of entriesOf(key, value.toString()).entries()) {
      if (old[index] === entry) continue;
      puts.push({ key: entry, value: nothing });
      if (old[index] !== undefined) deletes.push(old[index]);
    }
  }
  for (const key of change.deletes ?? []) deletes.push(...before(key));
  return { puts, deletes };
}

const nothing = Buffer.alloc(0);

/** The part of a range that has items. */
export function itemRange(range: ScanRange = {}): ScanRange {
  const { gte } = range;
  return gte !== undefined && compareUtf8(gte, firstItemKey) > 0 ? range : { ...range, gte: firstItemKey };
}
