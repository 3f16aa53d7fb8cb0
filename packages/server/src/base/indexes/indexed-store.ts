import { createCounter } from '../../engines/counter.js';
import {
  type Change,
  type Decide,
  headerKey,
  type ItemStore,
  type ScanRange,
} from '../../engines/item-store.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import type { LedgerWrite } from '../../quotas/ledger.js';
import type { Ledgers } from '../../quotas/ledgers.js';
import { noLedgers } from '../../quotas/ledgers.js';
import { addedItems, baseCounter } from './counted-items.js';
import { isCounted, readDeclarations } from './declarations.js';
import { firstItemKey, maintained } from './entries.js';
import {
  createIndexRowsOf,
  createPreparedRows,
  type EntrySource,
  type IndexRowsOf,
  type ItemValue,
  type PreparedRows,
  withEntries,
} from './entry-changes.js';
import type { Stored } from './guard-changes.js';

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
  /** Deletes the rows of those of these items that have expired. */
  removeExpired(space: string, keys: readonly string[]): Promise<void>;
  /** Whether the base had indexes when it was last written by this server. */
  hasIndexes(space: string): boolean;
}

/** A transaction that changed nothing and must be tried again, for a reason. */
class Retry {
  constructor(
    readonly reason:
      | { /** Rows that decide and were not read. */ readonly unread: readonly string[] }
      | { /** The project has a quota, so the base must be counted. */ readonly isUncounted: true }
      | { /** Items that have expired and whose values others take. */ readonly expired: readonly string[] }
      | {
          /** Items whose entries take too long to compute in a transaction, which blocks others. */
          readonly unprepared: readonly ItemValue[];
          readonly rowsOf: IndexRowsOf;
        },
  ) {}
}

/**
 * The entries of this many bytes of items are computed within a transaction, where they take a few milliseconds. The
 * number doubles with each attempt, because others may change the items again and again.
 */
const quickBytes = 1024 * 1024;

const onlyHeader = [headerKey];
const none: readonly string[] = [];

/** What an attempt knows of those before it. */
interface Known {
  /** Keys that it reads besides those of the caller. */
  readonly extra: readonly string[];
  readonly prepared: PreparedRows | undefined;
  readonly maxBytes: number;
}

/** The maximum number of bases of which it is remembered that they have indexes. It only saves attempts. */
const maxIndexed = 10_000;
const maxKnownHeaders = 1000;

export interface QuotaOptions {
  readonly ledgers?: Ledgers;
  /** From its end on, the base is counted. */
  readonly setCounted?: (space: string) => Promise<void>;
}

/**
 * An item store over the same rows in which items are kept in step with the indexes of their base. Each transaction
 * reads the header of its space. If there is none, nothing else happens. If there are indexes, the transaction also
 * reads the items that it replaces, because their entries must go, and the guards of unique indexes.
 *
 * A transaction throws `NotUnique` if a unique index does not allow it. An item that has expired does not count: it is
 * removed first. `isExpired` says it of the row of an item.
 */
export function createIndexedStore(
  items: ItemStore,
  isExpired: (row: Buffer) => boolean,
  { ledgers = noLedgers, setCounted = async () => {} }: QuotaOptions = {},
): IndexedStore {
  const counter = createCounter(baseCounter, items.isShared);
  const indexed = createIndexedSpaces();
  const rowsOfHeader = createRowsByHeader();

  function attempt<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    known: Known,
  ): Promise<T | Retry> {
    const ledger = ledgers.of(space);
    if (ledger === undefined) return attemptOn(space, keys, decide, known);
    return ledger.write((write) => attemptOn(space, keys, decide, { ...known, write }));
  }

  function attemptOn<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    { extra, prepared, maxBytes, write }: Known & { readonly write?: LedgerWrite },
  ): Promise<T | Retry> {
    const isBlind = keys.length === 0 && extra.length === 0;
    const read = isBlind ? onlyHeader : [headerKey, ...keys, ...extra];
    const decided = (values: readonly (Buffer | undefined)[]): Change<T | Retry> => {
      write?.again();
      const [header] = values;
      const change = decide(isBlind ? [] : values.slice(1, 1 + keys.length));
      const rowsOf = header === undefined ? undefined : rowsOfHeader(header);
      indexed.remember(space, rowsOf !== undefined);
      // Few bases have indexes: all others pay for nothing but the look at the header.
      if (rowsOf === undefined) {
        const isChange = (change.puts ?? []).length + (change.deletes ?? []).length > 0;
        return write !== undefined && isChange ? { result: new Retry({ isUncounted: true }) } : change;
      }
      const stored = new Map<string, Buffer | undefined>();
      for (let at = 1; at < read.length; at++) stored.set(read[at] as string, values[at]);
      return inStep(change, stored, { rowsOf, prepared, maxBytes, isExpired, counter, write });
    };
    return (write?.transact ?? items.transact)(space, read, decided);
  }

  /** Not asynchronous itself: almost every transaction needs one attempt, and no more promises than that. */
  function transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    changed: Iterable<string> = [],
  ): Promise<T> {
    let extra = none;
    if (indexed.has(space)) {
      const known = new Set(keys);
      extra = [...changed, counter.own].filter((key) => !known.has(key));
    }
    const first = attempt(space, keys, decide, { extra, prepared: undefined, maxBytes: quickBytes });
    return first.then((outcome) => {
      if (!(outcome instanceof Retry)) return outcome;
      return attemptAgain((known) => attempt(space, keys, decide, known), outcome.reason, {
        extra,
        setCounted: () => setCounted(space),
        removeExpired: (expired) => removeExpired(space, expired),
      });
    });
  }

  /** Deletes the rows of items that have expired, unless they were put again in the meantime. */
  function removeExpired(space: string, keys: readonly string[]): Promise<void> {
    return transact(space, keys, (rows) => ({
      deletes: keys.filter((_, index) => rows[index] !== undefined && isExpired(rows[index])),
      result: undefined,
    }));
  }

  return {
    ...items,
    transact,
    removeExpired,
    hasIndexes: (space) => indexed.has(space),
    scan: (space, range) => items.scan(space, itemRange(range)),
    scanText: (space, range) => items.scanText(space, itemRange(range)),
  };
}

/** Tries until nothing is missing. Before each attempt, what the one before it lacked is read, computed or removed. */
async function attemptAgain<T>(
  attempt: (known: Known) => Promise<T | Retry>,
  firstReason: Retry['reason'],
  mend: {
    readonly extra: readonly string[];
    readonly setCounted: () => Promise<void>;
    readonly removeExpired: (keys: readonly string[]) => Promise<void>;
  },
): Promise<T> {
  let { extra } = mend;
  let reason = firstReason;
  let prepared: PreparedRows | undefined;
  for (let maxBytes = 2 * quickBytes; ; maxBytes *= 2) {
    if ('unread' in reason) extra = [...extra, ...reason.unread];
    else if ('isUncounted' in reason) await mend.setCounted();
    else if ('expired' in reason) await mend.removeExpired(reason.expired);
    else {
      prepared ??= createPreparedRows();
      await prepared.add(reason.unprepared, reason.rowsOf);
    }
    const outcome = await attempt({ extra, prepared, maxBytes });
    if (!(outcome instanceof Retry)) return outcome;
    reason = outcome.reason;
  }
}

/** What keeps the entries, the counter and the quota in step with the items. */
interface StepSource extends EntrySource {
  readonly counter: ReturnType<typeof createCounter>;
  readonly write: LedgerWrite | undefined;
}

/** The change of items with the changes of their entries and of the counter. `stored`: the rows as they were. */
function inStep<T>(change: Change<T>, stored: Stored, source: StepSource): Change<T | Retry> {
  const { puts = [], deletes = [] } = change;
  const unread: string[] = [];
  for (const { key } of puts) if (!stored.has(key)) unread.push(key);
  for (const key of deletes) if (!stored.has(key)) unread.push(key);
  if (unread.length > 0) return { result: new Retry({ unread }) };
  const ofEntries = withEntries(change, stored, source);
  if ('unprepared' in ofEntries) return { result: new Retry({ ...ofEntries, rowsOf: source.rowsOf }) };
  if ('unread' in ofEntries || 'expired' in ofEntries) return { result: new Retry(ofEntries) };
  const added = addedItems(change, stored);
  const ofCounter = source.counter.change(stored, added);
  if ('unread' in ofCounter) return { result: new Retry(ofCounter) };
  source.write?.decide({ items: added.rows, itemBytes: added.bytes });
  return {
    ...change,
    puts: joined(ofEntries.puts, ofCounter.puts),
    deletes: joined(ofEntries.deletes, ofCounter.deletes),
    // A nearly full disk must take a delete with the row of the counter, too.
    makesRoom: change.makesRoom === true || puts.length === 0,
  };
}

function joined<T>(some: readonly T[] = [], more: readonly T[] = []): readonly T[] {
  return more.length === 0 ? some : [...some, ...more];
}

/** The spaces that had indexes when they were last written by this server. */
function createIndexedSpaces() {
  const indexed = new Set<string>();
  return {
    has: (space: string) => indexed.has(space),
    remember(space: string, hasIndexes: boolean): void {
      if (!hasIndexes) {
        if (indexed.size > 0) indexed.delete(space);
        return;
      }
      if (indexed.size === maxIndexed) indexed.clear();
      indexed.add(space);
    },
  };
}

/** Gives what computes the rows of the indexes that a header declares; undefined if it counts no items. */
function createRowsByHeader() {
  const rowsByHeader = new Map<string, IndexRowsOf | undefined>();
  // Transactions on a base follow each other: to compare its header takes less time than to look it up.
  let last: { readonly header: Buffer; readonly rowsOf: IndexRowsOf | undefined } | undefined;
  return (header: Buffer): IndexRowsOf | undefined => {
    if (last?.header.equals(header)) return last.rowsOf;
    const id = header.toString();
    let rowsOf = rowsByHeader.get(id);
    if (rowsOf === undefined && !rowsByHeader.has(id)) {
      const declarations = readDeclarations(id);
      rowsOf = isCounted(declarations) ? createIndexRowsOf(maintained(declarations)) : undefined;
      if (rowsByHeader.size === maxKnownHeaders) rowsByHeader.clear();
      rowsByHeader.set(id, rowsOf);
    }
    // A copy: the bytes that were read may be a view of much more memory.
    last = { header: Buffer.from(header), rowsOf };
    return rowsOf;
  };
}

/** The part of a range that has items. */
export function itemRange(range: ScanRange = {}): ScanRange {
  const { gte } = range;
  return gte !== undefined && compareUtf8(gte, firstItemKey) > 0 ? range : { ...range, gte: firstItemKey };
}
