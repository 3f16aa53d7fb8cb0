import { createCounter, type StoredRows, type Tally } from '../engines/counter.js';
import type { Counted } from '../engines/first-count.js';
import type { Change, Decide, ItemStore, Put, TransactOptions } from '../engines/item-store.js';
import type { LedgerWrite, Reservation, Stored } from '../quotas/ledger.js';
import { type Ledgers, noLedgers } from '../quotas/ledgers.js';
import { type FileRow, folderKey, nameKey, partsPrefix, trashKey } from './rows.js';

/** What of a drive is counted: the rows of a kind, by the beginning of their keys. */
interface Kind {
  /** The beginning of the keys of the counter. Stored: never rename. */
  readonly counter: string;
  readonly rows: string;
  /** Whether each row is put once, under a key that no row had: so nobody reads it before. */
  readonly isPutOnce: boolean;
}

const names: Kind = { counter: 'count/', rows: nameKey(''), isPutOnce: false };
const trash: Kind = { counter: 'count-trash/', rows: trashKey(''), isPutOnce: true };

export const nameCounter = names.counter;
export const trashCounter = trash.counter;

/** Whether a row of a drive is one of a counter. */
export function isCounterKey(key: string): boolean {
  return key.startsWith(names.counter) || key.startsWith(trash.counter);
}

/** What the counters of a drive count: files that have expired, too, until their rows are deleted. */
export const countedFiles: readonly Counted[] = [names, trash].map(({ counter, rows }) => ({
  prefix: counter,
  range: { prefix: rows },
  bytesOf: ({ text }) => (JSON.parse(text) as FileRow).sizeBytes,
  isWanted: () => true,
}));

/** What has no counter, since only a quota counts it: the parts of open uploads, and the markers of folders. */
const uncounted = [
  { rows: partsPrefix('').slice(0, -1), isNamed: false },
  { rows: folderKey(''), isNamed: true },
];

export interface FileTransactOptions extends TransactOptions {
  /** Room that was reserved for bytes: the transaction takes it over. */
  readonly reservation?: Reservation | undefined;
}

/** The rows of a drive, whose transactions may take over room that was reserved for bytes. */
export interface CountedFiles extends ItemStore {
  transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    options?: FileTransactOptions,
  ): Promise<T>;
}

/** What a transaction reads. */
interface TransactionReads {
  readonly keys: readonly string[];
  readonly extra: readonly string[];
  readonly options: TransactOptions;
}

/** A transaction that changed nothing, because it must read more. */
class Unread {
  constructor(readonly keys: readonly string[]) {}
}

/**
 * An item store over the rows of drives that keeps the counters of each drive in step with its names, and its trash.
 * Whoever changes a name reads its row anyway, so the change costs one row more, of the same transaction.
 */
export function createCountedFiles(items: ItemStore, ledgers: Ledgers = noLedgers): CountedFiles {
  const kinds = [names, trash].map((kind) => ({
    ...kind,
    counter: createCounter(kind.counter, items.isShared),
  }));

  function attempt<T>(
    space: string,
    { keys, extra, options }: TransactionReads,
    decide: Decide<T>,
    write?: LedgerWrite,
  ): Promise<T | Unread> {
    const read = [...keys, ...extra];
    const decided = (values: readonly (Buffer | undefined)[]): Change<T | Unread> => {
      write?.again();
      const change = decide(values.slice(0, keys.length));
      const stored = storedOf(read, values);
      const puts: Put[] = [];
      const deletes: string[] = [];
      const unread: string[] = [];
      const added: Added[] = [];
      for (const { rows, counter, isPutOnce } of kinds) {
        const tally = addedFiles(change, { stored, prefix: rows, isPutOnce });
        const counted = 'unread' in tally ? tally : counter.change(stored, tally);
        if (write !== undefined && !('unread' in tally)) added.push({ tally, isNamed: rows === names.rows });
        if ('unread' in counted) unread.push(...counted.unread);
        else {
          puts.push(...(counted.puts ?? []));
          deletes.push(...(counted.deletes ?? []));
        }
      }
      for (const { rows, isNamed } of write === undefined ? [] : uncounted) {
        const tally = addedFiles(change, { stored, prefix: rows, isPutOnce: false });
        if ('unread' in tally) unread.push(...tally.unread);
        else added.push({ tally, isNamed });
      }
      if (unread.length > 0) return { result: new Unread(unread) };
      write?.decide(storedOfAll(added));
      if (puts.length + deletes.length === 0) return change;
      const isDelete = (change.puts ?? []).length === 0;
      return {
        ...change,
        puts: [...(change.puts ?? []), ...puts],
        deletes: [...(change.deletes ?? []), ...deletes],
        // A nearly full disk must take it with the row of the counter, too.
        ...(isDelete && { makesRoom: true }),
      };
    };
    return (write?.transact ?? items.transact)(space, read, decided, options);
  }

  return {
    ...items,
    async transact<T>(
      space: string,
      keys: readonly string[],
      decide: Decide<T>,
      { reservation, ...options }: FileTransactOptions = {},
    ) {
      let extra: readonly string[] = [];
      for (const { rows, counter } of kinds)
        if (keys.length >= manyKeys || keys.some((key) => key.startsWith(rows)))
          extra = [...extra, counter.own];
      for (;;) {
        const all = { keys, extra, options };
        const ledger = ledgers.of(space);
        const outcome = await (ledger === undefined
          ? attempt(space, all, decide)
          : ledger.write((write) => attempt(space, all, decide, write), reservation));
        if (!(outcome instanceof Unread)) return outcome;
        extra = [...extra, ...outcome.keys];
      }
    },
  };
}

/** From this many keys on, deciding twice costs more than reading the row of a counter that may not change. */
const manyKeys = 9;

/** An upload reads three rows, which are found as quickly without a map. */
const mapFrom = 9;

function storedOf(keys: readonly string[], values: readonly (Buffer | undefined)[]): StoredRows {
  if (keys.length >= mapFrom) return new Map(keys.map((key, n) => [key, values[n]]));
  return { has: (key) => keys.includes(key), get: (key) => values[keys.indexOf(key)] };
}

/** What a change adds of one kind of rows, and whether these are files with a name, or markers. */
interface Added {
  readonly tally: Tally;
  readonly isNamed: boolean;
}

function storedOfAll(added: readonly Added[]): Partial<Stored> {
  let files = 0;
  let fileBytes = 0;
  for (const { tally, isNamed } of added) {
    if (isNamed) files += tally.rows;
    fileBytes += tally.bytes;
  }
  return { files, fileBytes };
}

interface Counting {
  readonly stored: StoredRows;
  readonly prefix: string;
  readonly isPutOnce: boolean;
}

/** What a change of rows adds to what is counted, or which rows it has to read first. */
function addedFiles(
  { puts = [], deletes = [] }: Pick<Change<unknown>, 'puts' | 'deletes'>,
  { stored, prefix, isPutOnce }: Counting,
): Tally | { readonly unread: readonly string[] } {
  let rows = 0;
  let bytes = 0;
  const unread: string[] = [];
  const add = (key: string, row: Buffer | undefined) => {
    if (!key.startsWith(prefix)) return;
    if (!stored.has(key) && (row === undefined || !isPutOnce)) unread.push(key);
    const before = tallyOf(stored.get(key));
    const after = tallyOf(row);
    rows += after.rows - before.rows;
    bytes += after.bytes - before.bytes;
  };
  for (const { key, value } of puts) add(key, value);
  for (const key of deletes) add(key, undefined);
  return unread.length > 0 ? { unread } : { rows, bytes };
}

const sizeMember = Buffer.from('"sizeBytes":');
const digitZero = 0x30;

/**
 * Reads the size alone, where parsing two rows took an upload 3 µs more. It is the first member of this name: before it
 * are only the id and the layout.
 */
function tallyOf(row: Buffer | undefined): Tally {
  if (row === undefined) return { rows: 0, bytes: 0 };
  let bytes = 0;
  for (let at = row.indexOf(sizeMember) + sizeMember.length; ; at++) {
    const digit = (row[at] ?? 0) - digitZero;
    if (digit < 0 || digit > 9) return { rows: 1, bytes };
    bytes = bytes * 10 + digit;
  }
}
