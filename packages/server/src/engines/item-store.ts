/**
 * The contract of a row engine: one ordered key-value store of small documents.
 *
 * A *space* names a set of rows (a base, a drive, the keys of all projects). Spaces and keys are
 * well-formed Unicode strings without U+0000; a space begins with a letter. Keys are ordered by their
 * UTF-8 bytes. Values are opaque bytes. An engine knows nothing of items, files, limits or expiry.
 *
 * `test/conformance/item-store-suite.ts` states every promise below as a test; every engine passes it.
 */

import type { RowDamage } from './storage-errors.js';

/** Some nine million years: what fits into six bytes. */
export const maxDueSeconds = 2 ** 48 - 1;

export interface Row {
  readonly key: string;
  readonly value: Buffer;
}

/** A row of a scan that asked for `withDue`. */
export interface ScannedRow extends Row {
  /** The mark it was put with. */
  readonly dueSeconds?: number | undefined;
}

/** A row whose value is text. */
export interface TextRow {
  readonly key: string;
  readonly text: string;
}

export interface Put extends Row {
  /**
   * When `due()` is to name this row: whole seconds since 1970 UTC, from 0 to `maxDueSeconds`.
   * The mark belongs to the row: a later put without one takes it away, a delete too.
   */
  readonly dueSeconds?: number;
}

/** What a transaction changes. A key may be named once, in `puts` or in `deletes`. */
export interface Change<T> {
  readonly puts?: readonly Put[];
  readonly deletes?: readonly string[];
  readonly result: T;
}

/** Sees the rows of the keys that the transaction named, in their order. Pure: it may run more than once. */
export type Decide<T> = (rows: readonly (Buffer | undefined)[]) => Change<T>;

export interface ScanRange {
  /** Only keys that begin with this. Bounds narrow it further. */
  readonly prefix?: string;
  readonly gte?: string;
  readonly gt?: string;
  readonly lte?: string;
  readonly lt?: string;
  /** From the last key to the first. */
  readonly reverse?: boolean;
  /** At most so many rows. */
  readonly limit?: number;
  /** How many rows will probably do: a hint for the size of the first batch, which changes nothing else. */
  readonly firstBatch?: number;
  /** Give the due marks too: who copies rows needs them, who reads them does not. */
  readonly withDue?: boolean;
}

export interface DueRow {
  readonly space: string;
  readonly key: string;
}

export interface ItemStore {
  /** Whether other processes may use the same rows at the same time. */
  readonly isShared: boolean;

  /** The row, or undefined. A value that is at hand comes without a promise. Do not change the bytes. */
  get(space: string, key: string): Buffer | undefined | Promise<Buffer | undefined>;

  /**
   * The one way to change anything: reads the rows of `keys`, lets `decide` say what becomes of them (and of
   * any other row of that space), and applies it: all or none, as if alone in the world, on stable storage
   * when the promise resolves to `decide`'s result. With no keys it is a blind batch. What `decide` throws
   * rejects the promise, and nothing is changed. Rejects with `StorageUnavailable` when the storage cannot
   * take the write for now; it may then have been taken or not, but never in part.
   */
  transact<T>(space: string, keys: readonly string[], decide: Decide<T>): Promise<T>;

  /**
   * The rows of a range in key order, in batches of some 64 KiB, read as they are asked for. All of them
   * are of one moment: the view does not change while it is read.
   */
  scan(space: string, range?: ScanRange): AsyncIterable<readonly ScannedRow[]>;

  /** The same for rows whose values are UTF-8 text: a string costs half of what a buffer does. */
  scanText(space: string, range?: ScanRange): AsyncIterable<readonly TextRow[]>;

  /**
   * The spaces that hold rows and whose name begins with `prefix`, in the order of their UTF-8 bytes; with `after`,
   * only those behind this name, whether it exists or not.
   */
  spaces(prefix: string, after?: string): AsyncIterable<string>;

  /** Rows whose `dueSeconds` is at or before `beforeSeconds`, the earliest first, at most `limit`. */
  due(beforeSeconds: number, limit: number): Promise<readonly DueRow[]>;

  /**
   * Reads everything that is stored and gives the places that do not hold what was written, while others read and
   * write. Absent for an engine that has no checksums of its own to compare.
   */
  verify?: (() => AsyncIterable<RowDamage>) | undefined;

  /** Waits for work in progress, then lets go of the storage. */
  close(): Promise<void>;
}
