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

/** A transaction that changed nothing and must be tried again, for a reason. */
class Retry {
  constructor(
    readonly reason:
      | { /** Items that change and were not read. */ readonly unread: readonly string[] }
      | {
          /** Items whose entries take too long to compute in a transaction, which blocks others. */
          readonly unprepared: readonly ItemValue[];
          readonly entriesOf: EntriesOf;
        },
  ) {}
}

/**
 * The entries of this many bytes of items are computed within a transaction, where they take a few milliseconds. The
 * number doubles with each attempt, because others may change the items again and again.
 */
const quickBytes = 1024 * 1024;

const onlyHeader = [headerKey];

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
  ): Promise<T | Retry> {
    const isBlind = keys.length === 0 && extra.length === 0;
    const read = isBlind ? onlyHeader : [headerKey, ...keys, ...extra];
    return items.transact(space, read, (values): Change<T | Retry> => {
      const [header] = values;
      const change = decide(isBlind ? [] : values.slice(1, 1 + keys.length));
      const entries = header === undefined ? undefined : entriesOf(header);
      remember(space, entries !== undefined);
      // Few bases have indexes: all others pay for nothing but the look at the header.
      if (entries === undefined) return change;
      const stored = new Map(read.slice(1).map((key, index) => [key, values[1 + index]]));
      const touched = [...(change.puts ?? []).map(({ key }) => key), ...(change.deletes ?? [])];
      const unread = touched.filter((key) => !stored.has(key));
      if (unread.length > 0) return { result: new Retry({ unread }) };
      const changes = withEntries(change, stored, { entriesOf: entries, prepared, maxBytes });
      if ('unprepared' in changes) return { result: new Retry({ ...changes, entriesOf: entries }) };
      return { ...changes, result: change.result };
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
        if (!(outcome instanceof Retry)) return outcome;
        const { reason } = outcome;
        if ('unread' in reason) extra = [...extra, ...reason.unread];
        else {
          prepared ??= createPreparedEntries();
          await prepared.add(reason.unprepared, reason.entriesOf);
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
