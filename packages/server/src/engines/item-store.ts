/**
 * The contract of an item store: one ordered key-value store of small documents.
 *
 * A *space* names a set of rows (a base, a drive, the keys of all projects). Spaces and keys are
 * well-formed Unicode strings. A space begins with a letter and has no U+0000. A key may have any characters and up to
 * `maxRowKeyBytes`. Keys are ordered by their UTF-8 bytes. Values are opaque bytes. An engine knows nothing of items,
 * files, limits or expiry.
 *
 * The row with the key `headerKey` is the *header* of its space. Many transactions read it, few spaces have one, and it
 * hardly ever changes. Therefore an engine makes its absence cheap to read, and its change expensive.
 *
 * An engine that has checksums compares every row that it gives with its own. Reading a row that is damaged throws
 * `RowsDamaged`; other rows are not affected.
 *
 * `test/conformance/item-store-suite.ts` has a test for every promise below; every engine passes it.
 */

import type { CacheCounts } from '../lib/cache-counts.js';
import type { ChangeLog, ChangeLogRules, OnNoted } from './change-log.js';
import type { ChangeRefused, DamagedRow, RowDamage } from './storage-errors.js';

/** Nine million years: the largest number that fits into six bytes. */
export const maxDueSeconds = 2 ** 48 - 1;

/** The maximum size of a key in UTF-8. */
export const maxRowKeyBytes = 1600;

/** The key of the header of a space. It comes before all other keys. */
export const headerKey = '\0';

export interface Row {
  readonly key: string;
  readonly value: Buffer;
}

/** A row of a scan that asked for `withDue`. */
export interface ScannedRow extends Row {
  /** The due time that it was put with. */
  readonly dueSeconds?: number | undefined;
}

/** A row whose value is text. */
export interface TextRow {
  readonly key: string;
  readonly text: string;
  /** The length of the text as UTF-8: whoever reads a row knows it, and counting it again takes as long as a checksum. */
  readonly bytes: number;
  /** False if the engine knows that the row has no due time. */
  readonly mayBeDue?: boolean;
}

export interface Put extends Row {
  /**
   * The due time of this row: whole seconds since 1970 UTC, from 0 to `maxDueSeconds`. It belongs to the row: a later
   * put without one removes it, and so does a delete.
   */
  readonly dueSeconds?: number;
}

/** What a transaction changes. It names a key at most once, in `puts` or in `deletes`. */
export interface Change<T> {
  readonly puts?: readonly Put[];
  readonly deletes?: readonly string[];
  /**
   * Whether it makes room on the disk though it has `puts`. An engine whose disk is nearly full takes such changes and
   * those without `puts`, and refuses all others.
   */
  readonly makesRoom?: boolean;
  /**
   * Called with the key of the row of a log that notes the change, before `transact` resolves: `keepChanges`. Not called if
   * nothing of it is noted. It may be called more than once: the last call counts.
   */
  readonly onNoted?: OnNoted | undefined;
  readonly result: T;
}

/**
 * Takes the rows of the transaction's keys, in their order, and gives the change. It may run more than once: keep it
 * pure.
 */
export type Decide<T> = (rows: readonly (Buffer | undefined)[]) => Change<T>;

export interface TransactOptions {
  /**
   * If there are several keys, and their rows have more bytes together, about, the transaction rejects with `TooMuchRead`
   * and changes nothing. It has then read little more than that. An engine may count what it stores with each row.
   * Default: any number.
   */
  readonly maxReadBytes?: number | undefined;
}

/** Rows of a second space that a transaction reads, and changes with its own. The options are about all rows. */
export interface SecondSpace extends TransactOptions {
  readonly space: string;
  /** Locked until the transaction ends. Whoever locks several gives them in the same order as all others. */
  readonly locked: readonly string[];
  /** Read without a lock, when the locks are held. Rows that the same group commit has changed are as they were before. */
  readonly read: readonly string[];
}

/** The change of a transaction that has rows of a second space: `second` are puts of rows that it has locked there. */
export interface ChangeAcross<T> extends Change<T> {
  readonly second?: readonly Row[] | undefined;
}

export interface ScanRange {
  /** Only keys that begin with this. The bounds restrict them further. */
  readonly prefix?: string;
  readonly gte?: string;
  readonly gt?: string;
  readonly lte?: string;
  readonly lt?: string;
  /** From the last key to the first. */
  readonly reverse?: boolean;
  /** The maximum number of rows. */
  readonly limit?: number;
  /** How many rows the caller probably needs: a hint for the size of the first batch. */
  readonly firstBatch?: number;
  /** Gives only the first batch, and holds nothing: `scanBatches` asks again for what comes after its last row. */
  readonly isOneBatch?: boolean;
  /** A hint: it may take seconds, so others may be let in before it. */
  readonly isLong?: boolean;
  /** Whether to give due times: a copy needs them, a reader does not. */
  readonly withDue?: boolean;
  /** Leaves out rows that are damaged, where others throw `RowsDamaged`. */
  readonly skipDamaged?: boolean;
}

/** A range of keys. */
export type KeyBounds = Pick<ScanRange, 'prefix' | 'gte' | 'gt' | 'lte' | 'lt'>;

export interface DueRow {
  readonly space: string;
  readonly key: string;
}

export interface SpaceRange {
  /** Only spaces after this name, whether it exists or not. */
  readonly after?: string | undefined;
  /**
   * How many names the engine may read at once, 1 or more; 1 if it is absent. One that comes to be among those that it
   * has read is missing.
   */
  readonly ahead?: number | undefined;
}

/** How much of a store is compared with its checksums, and how fast. */
export interface VerifyPace {
  /** It ends early when this returns false. */
  readonly mayContinue?: (() => boolean) | undefined;
  /** Called after each step of some 0.2 ms. */
  readonly rest?: (() => Promise<void>) | undefined;
  /** Compares the checksums of files, and not those of rows, too. */
  readonly filesOnly?: boolean | undefined;
}

/** How fast space is given back. */
export interface ShrinkPace {
  /** It ends early when this returns false. */
  readonly mayContinue?: (() => boolean) | undefined;
  /** Called after each step of some 0.3 s, most of which is spent on another thread. */
  readonly rest?: (() => Promise<void>) | undefined;
  /** Whether it may be put off, up to 300 calls, while rows are being replaced and deleted. */
  readonly mayWait?: boolean;
}

/** The key and the due time of a row. */
export type RowHead = Pick<ScannedRow, 'key' | 'dueSeconds'>;

/** A space as it was at one moment. */
export interface Snapshot {
  /** The keys of a range in their order, in batches, read on demand. */
  keys(range: ScanRange): AsyncIterable<readonly string[]>;
  /** The rows of a range, as `scan` of the item store gives them. */
  scan(range: ScanRange): AsyncIterable<readonly ScannedRow[]>;
  /** The rows of a range, as `scanText` of the item store gives them. */
  scanText(range: ScanRange): AsyncIterable<readonly TextRow[]>;
  /** The values of these keys, in their order, as UTF-8 text; undefined for a key without a row. */
  texts(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** How many rows parts of a range have, one part after the other, read on demand. Nothing of a row is given. */
  counts(range: KeyBounds): AsyncIterable<number>;
  /** The keys whose rows are due at or before that second, in any order; undefined if the store has more than `limit` such rows. */
  dueKeys(beforeSeconds: number, limit: number): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

/** What the members of `SynchronousRows` throw. It has no stack, because it is no failure. */
export const needsWait = Object.freeze({ name: 'NeedsWait' });

/**
 * The rows of a space as they are now, as far as an engine can read them without a promise. Use it before anything is
 * awaited. Every member throws `needsWait` where it would have to wait. Only rows may be read from this machine's disk;
 * keys and counts come from memory.
 */
export interface SynchronousRows {
  get(key: string): Buffer | undefined;
  /** The first keys of a range, or the last ones in their reverse order. */
  keys(
    range: Readonly<Record<'gte' | 'lt', string>> & { readonly reverse: boolean; readonly limit: number },
  ): readonly string[];
  /** How many rows a range has. */
  count(range: Readonly<Record<'gte' | 'lt', string>>): number;
  /** Whether rows of the space whose keys are not before `from` are due at or before that second. */
  isAnyDue(beforeSeconds: number, from: string): boolean;
}

/** All rows as they were at one moment. */
export interface FrozenRows extends Pick<ItemStore, 'get' | 'scan' | 'spaces'> {
  close(): Promise<void>;
}

export interface ItemStore {
  /** Whether other processes may use the same rows at the same time. */
  readonly isShared: boolean;

  /** The row, or undefined. A value in memory comes without a promise. Do not change its bytes. */
  get(space: string, key: string): Buffer | undefined | Promise<Buffer | undefined>;

  /**
   * The only way to change rows. It reads the rows of `keys`, calls `decide` for the changes to any rows of the space,
   * and applies all of them or none, isolated from other transactions. They are on stable storage when it resolves to
   * the result of `decide`. Without keys it is a blind batch. If `decide` throws, it rejects with that error and
   * changes nothing. Rejects with `StorageUnavailable` if the storage cannot be written for now: an engine on this
   * machine has then changed nothing and will not; one on a network may have made the whole change. Rejects with
   * `ChangeRefused` if nothing was tried.
   *
   * `keys` may include `headerKey`. A change of the header waits for all transactions in progress, also for those of
   * other servers: whoever writes after it has been answered has seen the new header, or does not read headers.
   * Rejects with `HeadersUnsupported` if the storage has no way to wait for them; it has then changed nothing.
   */
  transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    options?: TransactOptions,
  ): Promise<T>;

  /**
   * The same with rows of a second space, of which it may put those that it locks. `decide` is given what is locked, and
   * after it what is read. Absent for an engine of one process.
   */
  transactAcross?:
    | (<T>(
        space: string,
        keys: readonly string[],
        second: SecondSpace,
        decide: (
          rows: readonly (Buffer | undefined)[],
          second: readonly (Buffer | undefined)[],
        ) => ChangeAcross<T>,
      ) => Promise<T>)
    | undefined;

  /**
   * The rows of a range in the order of their keys, in batches of about 64 KiB, read on demand. They are one snapshot:
   * writes during the scan do not show.
   */
  scan(space: string, range?: ScanRange): AsyncIterable<readonly ScannedRow[]>;

  /** The same for rows whose values are UTF-8 text: a string takes half as long as a buffer. */
  scanText(space: string, range?: ScanRange): AsyncIterable<readonly TextRow[]>;

  /**
   * Reads a space several times at one moment, which is between the call and the first read: writes after it do not
   * show. Close the snapshot soon, because it may hold a connection. `isLong` is the hint of a scan.
   */
  snapshot(space: string, options?: Pick<ScanRange, 'isLong'>): Promise<Snapshot>;

  /** How many scans and snapshots may be open at the same time, because each holds a connection. Absent: any number. */
  readonly momentsAtOnce?: number | undefined;

  /** Reads a space without a promise; gives undefined while that is not possible. Absent in an engine that never can. */
  rowsSync?: ((space: string) => SynchronousRows | undefined) | undefined;

  /**
   * Reads all spaces at one moment, which is within the call: it has every write that was acknowledged before the call,
   * and none that begins after it has resolved. Close it soon, because the storage keeps old rows in the meantime. Reading
   * rejects with `StorageUnavailable` when the storage had to be opened again. Absent for an engine whose rows are
   * backed up with tools of its own.
   */
  freeze?: (() => Promise<FrozenRows>) | undefined;

  /** The spaces that hold rows and whose name begins with `prefix`, in the order of their UTF-8 bytes. */
  spaces(prefix: string, range?: SpaceRange): AsyncIterable<string>;

  /** For each of these spaces, in their order: the first row of the range, without its value, or undefined. */
  firstRows(spaces: readonly string[], range: KeyBounds): Promise<readonly (RowHead | undefined)[]>;

  /** Rows whose `dueSeconds` is at or before `beforeSeconds`, the earliest first, at most `limit`. */
  due(beforeSeconds: number, limit: number): Promise<readonly DueRow[]>;

  /**
   * The time of the clock that all servers over these rows see, in milliseconds since 1970. Absent for an engine of one process:
   * its clock is the server's.
   */
  readonly nowMs?: (() => Promise<number>) | undefined;

  /**
   * Compares everything that is stored with its checksums, while others read and write. Gives the damage in files and the
   * rows that do not hold what was written. Rows that damage may have hit are not read or written any more from
   * then on: that throws `RowsDamaged`. When more than rows is damaged, every call rejects with `StorageUnavailable`, whose
   * cause is `RowsDamaged`. Absent for an engine that has no checksums of its own to compare.
   */
  verify?: ((pace?: VerifyPace) => AsyncIterable<RowDamage | DamagedRow>) | undefined;

  /** How often rows were read from the files that `verify` compares. */
  reads?: (() => number) | undefined;

  /**
   * Resolves if the rows would take a write now, as far as can be told without writing. Otherwise it rejects with
   * `StorageUnavailable`. It is cheap enough to be asked every second. Absent for an engine whose reads tell as much.
   */
  ready?: (() => Promise<void>) | undefined;

  /**
   * Why a change that makes no room would be refused now, because the disk has little; undefined if it would be taken.
   * Whoever writes much else that its rows are to name asks before and while it writes: it is cheap while there is room. Absent
   * for an engine whose rows are not on a disk of this machine.
   */
  refusal?: (() => undefined | Promise<ChangeRefused | undefined>) | undefined;

  /**
   * From now on, each commit notes the rows that it changes in a log, in the same atomic step. Call it once, when nothing
   * is being written. Gives undefined if the storage has no order of its commits. Throws `StorageUnavailable`.
   */
  keepChanges?: ((rules: ChangeLogRules) => Promise<ChangeLog | undefined>) | undefined;

  /** How the engine's cache of rows was used. Absent for an engine without one. */
  cache?: (() => CacheCounts) | undefined;

  /** The bytes that the rows take on this machine's disk. Absent for an engine that stores them elsewhere. */
  storedBytes?: (() => Promise<number>) | undefined;

  /**
   * Gives the space back that many rows took which were deleted or replaced, also before the store was opened, while
   * others read and write. Call it again and again, and never twice at once: when there is little to do, or a reader is
   * open that may still see such rows, it resolves at once. Rejects if the storage cannot be written for now; then it can
   * be called again. Absent for an engine that does so by itself.
   */
  shrink?: ((pace?: ShrinkPace) => Promise<void>) | undefined;

  /** Waits for work in progress, then releases the storage. */
  close(): Promise<void>;
}
