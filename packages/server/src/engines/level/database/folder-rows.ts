import { statSync } from 'node:fs';
import { isSameFile } from '../../../lib/folder.js';
import { type RowsDamaged, StorageUnavailable } from '../../storage-errors.js';
import { bytesToOpen, type DiskRoom, diskFull, isDiskFull, tooLittleRoom } from './disk-room.js';
import { type FolderLevel, openLevel } from './open-folder.js';
import { openReadOnlyView, type ReadOnlyView } from './read-only-view.js';
import type { LevelLog } from './track-log.js';

/** What is open of the rows in a folder, and what is wrong with it. */
export interface FolderRows {
  readonly folder: string;
  readonly level: FolderLevel;
  readonly room: DiskRoom;
  /** Absent as long as the rows could not be opened, only a view of them. */
  log?: LevelLog | undefined;
  /** What is read while the disk is too full to open the rows themselves. */
  view?: ReadOnlyView | undefined;
  /** Why the last write failed; absent once LevelDB was reopened. */
  failure?: Failure | undefined;
  refusedWrites: number;
  /** What was found in the list of tables since the store was opened. LevelDB is then closed for good. */
  damage?: RowsDamaged | undefined;
  /** Whether LevelDB shows readers a batch that was refused. */
  isAhead: boolean;
  /** Whether LevelDB is being closed and opened: nothing reads it. */
  isReopening: boolean;
}

export interface Failure {
  readonly cause: unknown;
}

/** What is read. */
export function readLevel({ view, level }: FolderRows): FolderLevel {
  return view?.level ?? level;
}

/**
 * Opens the rows at a start. Without the room for that, it opens what can be read, and notes the failure. Throws
 * LevelDB's error.
 */
export async function openRows(rows: FolderRows, isNew: boolean): Promise<void> {
  const { level, room } = rows;
  try {
    return await openLevel(level, isNew);
  } catch (cause) {
    if (!isDiskFull(cause) || isNew) throw cause;
    await room.giveBack();
  }
  try {
    await openLevel(level);
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause;
    const missing = await openView(rows);
    if (rows.view === undefined) throw missing;
  }
}

/**
 * Opens the rows again. Never with `createIfMissing`: an empty store in place of a missing one would look like the loss
 * of all rows. Somebody else may have taken the room in the meantime: then it opens what can be read. Throws LevelDB's
 * error.
 */
export async function openRowsAgain(rows: FolderRows): Promise<void> {
  try {
    await openLevel(rows.level);
  } catch (cause) {
    if (isDiskFull(cause)) throw await openView(rows);
    throw cause;
  }
}

/** Opens what can be read. Gives the error for what cannot be written. */
async function openView(rows: FolderRows): Promise<StorageUnavailable> {
  const missing = await missingRoom(rows);
  rows.failure = { cause: missing };
  rows.view = await openReadOnlyView(rows.folder);
  rows.isAhead = false;
  return missing;
}

/** The error that says how much room LevelDB needs to be opened. It gives the reserve back. */
export async function missingRoom({ folder, room }: FolderRows): Promise<StorageUnavailable> {
  try {
    const needed = await bytesToOpen(folder);
    await room.make(needed);
    return diskFull(folder, needed);
  } catch (cause) {
    return unavailable(folder, cause);
  }
}

/**
 * Makes the function that throws `StorageUnavailable` when the folder is no more where it is now: the next server would
 * not find what is written into it.
 */
export function createHomeCheck(folder: string): () => void {
  const home = statSync(folder, { bigint: true });
  return () => {
    try {
      // Synchronous: it takes 3 µs.
      const now = statSync(folder, { bigint: true });
      if (!isSameFile(now, home)) throw new Error('Another folder is in its place');
    } catch (cause) {
      throw unavailable(folder, cause, 'the data folder was moved, removed or replaced');
    }
  };
}

/** The error for rows that cannot be written for now. */
export function unavailable(folder: string, cause: unknown, reason?: string): StorageUnavailable {
  if (cause instanceof StorageUnavailable) return cause;
  if (isDiskFull(cause)) return tooLittleRoom(folder, cause);
  return new StorageUnavailable('The rows cannot be written for now', { cause, reason });
}
