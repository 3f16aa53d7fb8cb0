import {
  type Change,
  type Decide,
  headerKey,
  type ItemStore,
  type ScanRange,
} from '../../engines/item-store.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import { readDeclarations } from './declarations.js';
import { createEntriesOf, type EntriesOf, firstItemKey, maintained } from './entries.js';
import { createPreparedEntries, type ItemValue, type PreparedEntries, withEntries } from './entry-changes.js';

/** The rows of the items of a base: scans give nothing else, and every change of an item changes its entries too. */
export interface IndexedStore extends ItemStore {
  /**
   * As in the contract of the item store. `changed` has keys that the change may have besides `keys`: it saves a second
   * attempt if the base has indexes.
   */
  transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    changed?: Iterable<string>,
  ): Promise<T>;
  /** Whether the base had indexes when it was last written by this server. */
  hasIndexes(space: string): boolean;
}

type Attempt<T> =
  | { readonly result: T }
  /** Items that change and were not read. */
  | { readonly unread: readonly string[] }
  /** Items whose entries take too long to compute in a transaction, which blocks others. */
  | { readonly unprepared: readonly ItemValue[]; readonly entriesOf: EntriesOf };

/**
 * The entries of this many bytes of items are computed within a transaction, where they take a few milliseconds. The
 * number doubles with each attempt, because others may change the items again and again.
 */
const quickBytes = 1024 * 1024;

/** What an attempt knows of those before it. */
interface Known {
  /** Keys that it reads besides those of the caller. */
  readonly extra: readonly string[];
  readonly prepared: PreparedEntries | undefined;
  readonly maxBytes: number;
}

/** The maximum number of bases of which it is remembered that they have indexes. It only saves attempts. */
const maxIndexed = 10_000;
const maxKnownHeaders = 1000;

/**
 * An item store over the same rows in which items are kept in step with the indexes of their base. Each transaction
 * reads the header of its space. If there is none, nothing else happens. If there are indexes, the transaction also
 * reads the items that it replaces, because their entries must go.
 */
export function createIndexedStore(items: ItemStore): IndexedStore {
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
    { extra, prepared, maxBytes }: Known,
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
      const changes = withEntries(change, stored, { entriesOf: entries, prepared, maxBytes });
      if ('unprepared' in changes) return { result: { ...changes, entriesOf: entries } };
      return { ...changes, result: { result: change.result } };
    });
  }

  return {
    ...items,

    async transact<T>(
      space: string,
      keys: readonly string[],
      decide: Decide<T>,
      changed: Iterable<string> = [],
    ) {
      let extra: readonly string[] = [];
      if (indexed.has(space)) {
        const known = new Set(keys);
        extra = Array.from(changed).filter((key) => !known.has(key));
      }
      let prepared: PreparedEntries | undefined;
      for (let maxBytes = quickBytes; ; maxBytes *= 2) {
        const outcome = await attempt(space, keys, decide, { extra, prepared, maxBytes });
        if ('result' in outcome) return outcome.result;
        if ('unread' in outcome) extra = [...extra, ...outcome.unread];
        else {
          prepared ??= createPreparedEntries();
          await prepared.add(outcome.unprepared, outcome.entriesOf);
        }
      }
    },

    hasIndexes: (space) => indexed.has(space),

    scan: (space, range) => items.scan(space, itemRange(range)),
    scanText: (space, range) => items.scanText(space, itemRange(range)),
  };
}

/** The part of a range that has items. */
export function itemRange(range: ScanRange = {}): ScanRange {
  const { gte } = range;
  return gte !== undefined && compareUtf8(gte, firstItemKey) > 0 ? range : { ...range, gte: firstItemKey };
}
