import { createCounter } from '../../../engines/counter.js';
import { type Change, type Decide, headerKey, type ItemStore } from '../../../engines/item-store.js';
import type { LedgerWrite } from '../../../quotas/ledger.js';
import type { Ledgers } from '../../../quotas/ledgers.js';
import { isCounted, readDeclarations } from '../declarations/declarations.js';
import { maintained } from '../entries/entries.js';
import { addedItems, baseCounter } from './counted-items.js';
import {
  createIndexRowsOf,
  type EntrySource,
  type IndexRowsOf,
  type PreparedRows,
  type Unprepared,
  withEntries,
} from './entry-changes.js';
import type { Bounds } from './transaction-bounds.js';
import type { Stored } from './unique-row-changes.js';

/** A transaction that changed nothing and must be tried again, for a reason. */
export class Retry {
  constructor(
    readonly reason:
      | { /** Rows that the decision needs and that were not read. */ readonly unread: readonly string[] }
      | { /** The project has a quota, so the base must be counted. */ readonly isUncounted: true }
      | { /** Items that have expired and whose values others take. */ readonly expired: readonly string[] }
      | {
          /** The entries of its items take too long to compute in a transaction, which blocks others. */
          readonly isUnprepared: true;
        }
      | {
          /** The items whose entries are missing among the prepared ones. */
          readonly unprepared: readonly Unprepared[];
          readonly rowsOf: IndexRowsOf;
        },
  ) {}
}

const onlyHeader = [headerKey];

/** How an attempt is made. The attempts before it may have found out what it needs. */
export interface AttemptOptions {
  /** Keys that it reads besides those of the caller. */
  readonly extra: readonly string[];
  readonly prepared: PreparedRows | undefined;
  /** Entries of more bytes of items are not computed within the transaction. */
  readonly maxBytes: number;
  readonly bounds: Bounds;
}

/** Attempts of transactions on items, each of which changes their entries, their counter and the quota with them. */
export interface Attempts {
  attempt<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    known: AttemptOptions,
  ): Promise<T | Retry>;
  /** Whether the base had indexes, or a count of its items, when it was last written by this server. */
  hasIndexes(space: string): boolean;
  /** The row that a change of a base with indexes changes, too. */
  readonly counterKey: string;
}

/** The maximum number of bases of which it is remembered that they have indexes. It only saves attempts. */
const maxIndexed = 10_000;
const maxKnownHeaders = 1000;

export function createAttempts(
  items: ItemStore,
  isExpired: (row: Buffer) => boolean,
  ledgers: Ledgers,
): Attempts {
  const counter = createCounter(baseCounter, items.isShared);
  const indexed = createIndexedSpaces();
  const rowsOfHeader = createRowsByHeader();

  function attemptOn<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    { extra, prepared, maxBytes, bounds, write }: AttemptOptions & { readonly write?: LedgerWrite },
  ): Promise<T | Retry> {
    const readsOnlyHeader = keys.length === 0 && extra.length === 0;
    const read = readsOnlyHeader ? onlyHeader : [headerKey, ...keys, ...extra];
    const decided = (values: readonly (Buffer | undefined)[]): Change<T | Retry> => {
      write?.again();
      const [header] = values;
      const change = decide(readsOnlyHeader ? [] : values.slice(1, 1 + keys.length));
      const rowsOf = header === undefined ? undefined : rowsOfHeader(header);
      indexed.remember(space, rowsOf !== undefined);
      // Few bases have indexes: all others pay for nothing but the look at the header.
      if (rowsOf === undefined) {
        const isChange = (change.puts ?? []).length + (change.deletes ?? []).length > 0;
        return write !== undefined && isChange ? { result: new Retry({ isUncounted: true }) } : change;
      }
      const stored = new Map<string, Buffer | undefined>();
      for (let at = 1; at < read.length; at++) stored.set(read[at] as string, values[at]);
      const most = { maxBytes, maxEntryBytes: bounds.maxEntryBytes };
      return inStep(change, stored, { rowsOf, prepared, ...most, isExpired, counter, write });
    };
    return (write?.transact ?? items.transact)(space, read, decided, bounds);
  }

  return {
    attempt(space, keys, decide, known) {
      const ledger = ledgers.of(space);
      if (ledger === undefined) return attemptOn(space, keys, decide, known);
      return ledger.write((write) => attemptOn(space, keys, decide, { ...known, write }));
    },
    hasIndexes: indexed.has,
    counterKey: counter.own,
  };
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
  if ('unprepared' in ofEntries) {
    const { prepared, rowsOf } = source;
    // Without the items: the attempt that is told this may wait for its turn, and many may wait.
    if (prepared === undefined) return { result: new Retry({ isUnprepared: true }) };
    return { result: new Retry({ ...ofEntries, rowsOf }) };
  }
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

/** The spaces that had indexes, or a count, when they were last written by this server. */
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
