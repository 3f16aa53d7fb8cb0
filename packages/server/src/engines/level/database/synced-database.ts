import type { AbstractLevel } from 'abstract-level';
import type { VerifyPace } from '../../item-store.js';
import type { Operation } from '../../shared/group-commit.js';
import type { ChangeRefused, RowDamage, StorageUnavailable } from '../../storage-errors.js';
import type { Fences } from '../damage/fences.js';
import type { DiskRoom } from './disk-room.js';
import type { OlderReaders } from './readers.js';
import type { RowVerifier } from './row-verifier.js';

export type Level = AbstractLevel<string | Buffer | Uint8Array, string, Buffer>;

/** An open LevelDB that recovers from failed writes. A write that it refused never takes effect. */
export interface SyncedDatabase {
  /** Checks every row that is read from the database. */
  readonly verifier: RowVerifier;
  /** The keys that must not be read or written. */
  readonly fences: Fences;
  /** Call it when LevelDB could not read a block: the tables are searched for damage in the background. */
  noteCorruption(): void;
  /** The database; undefined while it must be reopened before it is read: then wait for `opened()`. */
  readonly current: Level | undefined;
  /** Rejects with `StorageUnavailable` when it cannot be reopened for now. */
  opened(): Promise<Level>;
  /** One synced batch. The next one begins when this has ended. Rejects with `StorageUnavailable`. */
  write(operations: readonly Operation[]): Promise<void>;
  /** Rejects with `StorageUnavailable` while writes are refused. Reopens the database if a failed write needs it. */
  ready(): Promise<void>;
  /** The free room on its disk. */
  readonly room: Pick<DiskRoom, 'isShort' | 'hasHalf' | 'look' | 'noteWrite' | 'giveBack'>;
  /** The error for a change that is not taken while there is little room. */
  refusal(): ChangeRefused;
  /**
   * The error for a change that is taken while there is little room, if there was none even for it. Gives the reserve
   * back.
   */
  missingRoom(): Promise<StorageUnavailable>;
  /** The number of reads of its files. Who reads without `hold` adds to it. */
  readonly activity: { reads: number };
  /** Keeps the database from being reopened while a reader uses it. Call the result when the reader ends. */
  hold(): () => void;
  /** Notes a reader that lets the database be reopened. Call the result when the reader ends. */
  noteReader(): () => void;
  /**
   * Damage in the files of rows, by LevelDB's own checksums. What it finds in a table is fenced off. When the list of
   * tables is damaged, nothing is read or written any more. Absent for memory.
   */
  verify?(pace?: VerifyPace): AsyncIterable<RowDamage>;
  /** The sum of the sizes of its files. Absent for memory. */
  storedBytes?(): Promise<number>;
  /** Absent for memory. */
  readonly tables?: Tables;
  close(): Promise<void>;
}

/** The tables of LevelDB, which keep what was deleted until they are compacted. */
export interface Tables {
  /** About how many bytes the rows of a range take, both ends included, also those that were deleted. */
  bytesOf(from: string, to: string): Promise<number>;
  /**
   * Writes the rows of a range into new tables, without those that were deleted or replaced and that no reader sees.
   * The checksums are compared before; if any is wrong, nothing is written. Rejects with `StorageUnavailable`.
   */
  compact(from: string, to: string): Promise<void>;
  /** How many writes LevelDB has refused since it was opened first. */
  refusedWrites(): number;
  /** The readers that are open now. */
  olderReaders(): OlderReaders;
}
