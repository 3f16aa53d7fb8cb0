import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AbstractLevel } from 'abstract-level';
import { syncFolder } from '../../lib/folder.js';
import type { VerifyPace } from '../item-store.js';
import type { Operation } from '../shared/group-commit.js';
import {
  ChangeRefused,
  type RowDamage,
  type RowsDamaged,
  rowsDamaged,
  StorageUnavailable,
} from '../storage-errors.js';
import { createDamageWatch } from './damage-watch.js';
import {
  bytesOfRows,
  bytesToOpen,
  type DiskRoom,
  diskFull,
  isDiskFull,
  tooLittleRoom,
  watchDiskRoom,
} from './disk-room.js';
import { behind, type Fences, spanOf } from './fences.js';
import { type FolderLevel, type FolderLocation, openLevel, prepareFolder } from './open-folder.js';
import { openReadOnlyView, type ReadOnlyView, removeLeftViews } from './read-only-view.js';
import { createRowGuard, type RowGuard } from './row-guard.js';
import { salvage } from './salvage.js';
import { deleteStrayTables, hasFailedAtTable } from './stray-tables.js';
import { type LevelLog, trackLevelLog } from './track-log.js';

export type Level = AbstractLevel<string | Buffer | Uint8Array, string, Buffer>;

/** An open LevelDB that recovers from failed writes. A write that it refused never takes effect. */
export interface SyncedDatabase {
  /** What every row that is read from it passes through. */
  readonly guard: RowGuard;
  /** What must not be read or written. */
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
  /** The room on the disk below it. */
  readonly room: Pick<DiskRoom, 'isShort' | 'look' | 'noteWrite' | 'giveBack'>;
  /** The error for a change that is not taken while there is little room. */
  refusal(): ChangeRefused;
  /** Compacts a range of keys, both ends included. */
  compact(first: string, last: string): Promise<void>;
  /** How often something was read from its files. Whoever reads without `hold` counts it. */
  readonly activity: { reads: number };
  /** Keeps the database from being reopened under a reader. Gives the release. */
  hold(): () => void;
  /** Notes a reader under whom it may be reopened. Gives the release. */
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
  /** The readers that are open now, if those of the call before are gone. */
  olderReaders(): OlderReaders;
}

export interface OlderReaders {
  readonly areGone: boolean;
}

const reopenIntervalMs = 250;
const waitForReadersMs = 5000;

/**
 * LevelDB in a folder. A failed write is cut off from the log before it is refused: otherwise LevelDB would replay it
 * when it is opened again. LevelDB accepts no further writes until it is reopened, so the next write reopens it, once
 * the disk works again. Reads continue in the meantime.
 */
export async function openFolderLevel(location: FolderLocation): Promise<SyncedDatabase> {
  const { folder, acceptDamage = false, onDamage } = location;
  const { level: whole, isNew, allChecked } = await prepareFolder(location);
  let log: LevelLog | undefined;
  const room = await watchDiskRoom({ folder, logBytes: () => log?.bytes ?? 0 });
  /** What is read while the disk is too full to open the rows themselves. */
  let view: ReadOnlyView | undefined;
  const openingFailure = await openUnlessFull();
  const current = () => view?.level ?? whole;
  const watch = await createDamageWatch({ folder, onDamage, onListDamage: closeForDamage });
  const guard = createRowGuard({ allChecked, acceptDamage, onDamage: watch.noteRow });
  const home = await stat(folder, { bigint: true });
  await syncFolder(dirname(folder));
  if (view === undefined) log = await trackLevelLog(folder);
  room.keepReserve();
  if (view === undefined) void removeLeftViews(folder);

  /** Why the last write failed; undefined once LevelDB was reopened. */
  let failure = openingFailure;
  /** The bytes of deleted tables that LevelDB still has open. */
  let strayBytes = 0;
  /** What was found in the list of tables since the store was opened. LevelDB is then closed for good. */
  let damage: RowsDamaged | undefined;
  /** Whether LevelDB shows readers a batch that was refused. */
  let isAhead = false;
  let isClosed = false;
  const activity = { reads: 0 };
  let reopening: Promise<void> | undefined;
  let lastReopenMs = 0;
  let readers = 0;
  let readersGone: (() => void) | undefined;
  /** The readers since `olderReaders` was called. */
  let recent = { open: 0 };

  /** The next server would not find what is written into a folder that was moved away. Synchronous: it takes 3 µs. */
  function checkHome(): void {
    try {
      const now = statSync(folder, { bigint: true });
      if (now.ino !== home.ino || now.dev !== home.dev) throw new Error('Another folder is in its place');
    } catch (cause) {
      throw unavailable(cause, 'the data folder was moved, removed or replaced');
    }
  }

  async function reopenIfNeeded(): Promise<void> {
    if (failure !== undefined || damage !== undefined) await reopenOnce();
  }

  /** Opens the rows. Without the room for that, it opens what can be read, and gives the reason. Throws LevelDB's error. */
  async function openUnlessFull(): Promise<{ readonly cause: unknown } | undefined> {
    try {
      await openLevel(whole, isNew);
      return undefined;
    } catch (cause) {
      if (!isDiskFull(cause) || isNew) throw cause;
      await room.giveBack();
    }
    try {
      await openLevel(whole);
      return undefined;
    } catch (cause) {
      if (!isDiskFull(cause)) throw cause;
      view = await openReadOnlyView(folder);
      const missing = await missingRoom();
      if (view === undefined) throw missing;
      return { cause: missing };
    }
  }

  /** The error that says how much room LevelDB needs to be opened. */
  async function missingRoom(): Promise<StorageUnavailable> {
    const needed = await bytesToOpen(folder);
    return await room.make(needed).then(
      () => diskFull(needed),
      (cause) => unavailable(cause),
    );
  }

  async function waitForReaders(): Promise<void> {
    if (readers === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      readersGone = resolve;
      timer = setTimeout(resolve, waitForReadersMs);
    });
    clearTimeout(timer);
    readersGone = undefined;
  }

  /** The bytes that LevelDB occupies in vain. */
  async function freedByClosing(): Promise<number> {
    if (current().status !== 'open') return 0;
    if (view !== undefined) await deleteStrayTables(folder);
    else if (hasFailedAtTable(failure?.cause)) strayBytes += await deleteStrayTables(folder);
    return strayBytes;
  }

  async function closeAndOpen(): Promise<void> {
    await waitForReaders();
    await current().close();
    strayBytes = 0;
    if (isCorruption(failure?.cause)) await replaceDamagedTables();
    // Closing writes what LevelDB still had in a buffer of the failed write.
    await log?.cutOff();
    await view?.close();
    view = undefined;
    // Never with `createIfMissing`: an empty store in place of a missing one would look like the loss of all rows.
    await openLevel(whole).catch(readOnlyIfFull);
    isAhead = false;
    // From now on LevelDB writes tables again: nothing that it has begun is a stray, even if what follows fails.
    failure = { cause: undefined };
    const next = await trackLevelLog(folder);
    await log?.close();
    log = next;
  }

  /** Somebody else has taken the room in the meantime. */
  async function readOnlyIfFull(cause: unknown): Promise<never> {
    if (isDiskFull(cause)) {
      view = await openReadOnlyView(folder);
      isAhead = false;
      failure = { cause: await missingRoom() };
    }
    throw cause;
  }

  /** Compaction cannot read a damaged block, and LevelDB takes no more writes then. What is lost is fenced off. */
  async function replaceDamagedTables(): Promise<void> {
    for await (const place of watch.find()) onDamage?.(place);
    if (damage !== undefined || watch.inTables.length === 0) return;
    await salvage(folder, watch.inTables);
    watch.forgetTables();
  }

  /** Reopens LevelDB after a failed write. Rejects with `StorageUnavailable`; reads continue if they worked before. */
  async function reopen(): Promise<void> {
    if (damage !== undefined) throw new StorageUnavailable(damage.message, { cause: damage });
    if (isClosed || performance.now() - lastReopenMs < reopenIntervalMs) throw unavailable(failure?.cause);
    try {
      checkHome();
      // Opening writes the log's rows into a table. Without room for it, LevelDB stays open, because it can still be read.
      await room.make((await bytesToOpen(folder)) - (await freedByClosing()));
      // A disk that cannot sync this cannot be used to reopen LevelDB either.
      await log?.cutOff();
      reopening = closeAndOpen();
      await reopening;
      failure = undefined;
    } catch (cause) {
      throw unavailable(cause);
    } finally {
      reopening = undefined;
      lastReopenMs = performance.now();
    }
  }

  const reopenOnce = shareCalls(reopen);
  const isReadable = () =>
    damage === undefined && reopening === undefined && !isAhead && current().status === 'open';

  /** LevelDB would write its next changes after the damage, where no later start finds them. */
  async function closeForDamage(place: RowDamage): Promise<void> {
    const wasKnown = damage !== undefined;
    damage = rowsDamaged([...(damage?.damage ?? []), place]);
    if (!wasKnown) await current().close();
  }

  const compact = (first: string, last: string) => whole.compactRange(first, last, { keyEncoding: 'utf8' });

  async function refuse(cause: unknown): Promise<StorageUnavailable> {
    failure = { cause };
    lastReopenMs = 0;
    if (isDiskFull(cause)) room.noteFull();
    // If this fails, it is repeated before LevelDB is opened again.
    await log?.cutOff().catch(() => {});
    return unavailable(cause);
  }

  return {
    guard,
    fences: watch.fences,
    noteCorruption: watch.noteCorruption,
    get current() {
      return isReadable() ? current() : undefined;
    },
    async opened() {
      if (!isReadable()) await reopenOnce();
      return current();
    },
    async ready() {
      if (room.isShort) await room.look();
      if (room.isShort && view === undefined) throw tooLittleRoom();
      await reopenIfNeeded();
      checkHome();
    },
    async write(operations) {
      // A write may fill the table in memory, which is then written to the disk.
      if (room.isShort) await room.make(await bytesToOpen(folder)).catch(() => {});
      await reopenIfNeeded();
      const written = log as LevelLog;
      try {
        checkHome();
        const roomMade = written.before(operations);
        if (roomMade !== undefined) await roomMade;
      } catch (cause) {
        throw unavailable(cause);
      }
      try {
        await batchOf(whole, operations).write({ sync: true });
      } catch (cause) {
        throw await refuse(cause);
      }
      try {
        const followed = written.after();
        if (followed !== undefined) await followed;
      } catch (cause) {
        isAhead = true;
        throw await refuse(cause);
      }
      room.noteWrite();
    },
    room,
    refusal() {
      const { message, reason } = view === undefined ? tooLittleRoom() : unavailable(failure?.cause);
      return new ChangeRefused(message, { reason });
    },
    compact,
    activity,
    hold() {
      const group = recent;
      activity.reads++;
      readers++;
      group.open++;
      return () => {
        group.open--;
        readers--;
        if (readers === 0) readersGone?.();
      };
    },
    noteReader() {
      const group = recent;
      group.open++;
      return () => {
        group.open--;
      };
    },
    tables: {
      bytesOf: (from, to) => whole.approximateSize(from, behind(to), { keyEncoding: 'utf8' }),
      async compact(from, to) {
        if (failure !== undefined || !isReadable()) throw unavailable(failure?.cause);
        try {
          checkHome();
          // LevelDB would give what is damaged a checksum that is right.
          for await (const place of watch.find({ around: spanOf(from, to) })) onDamage?.(place);
          if (watch.fences.isEmpty) await compact(from, to);
        } catch (cause) {
          throw unavailable(cause);
        }
      },
      olderReaders() {
        const group = recent;
        recent = { open: 0 };
        return {
          get areGone() {
            return group.open === 0;
          },
        };
      },
    },
    async *verify(pace) {
      if (log !== undefined) yield* await log.damage();
      yield* watch.find(pace);
    },
    storedBytes: () => bytesOfRows(folder),
    async close() {
      isClosed = true;
      await room.stop();
      await watch.stop();
      await whole.close();
      await view?.close();
      try {
        checkHome();
        await (failure === undefined ? log?.seal() : log?.cutOff());
      } catch {
        // Everything that was acknowledged is stored, and the next start does what is left to do.
      }
      await log?.close();
    },
  };
}

function isCorruption(cause: unknown): boolean {
  return cause instanceof Error && (cause as { code?: string }).code === 'LEVEL_CORRUPTION';
}

/** Callers that arrive while a call is in progress share it. */
function shareCalls(call: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= call().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Built by calls: the library copies and checks an array of operations, at 6 µs for each instead of 0.7. */
function batchOf(level: FolderLevel, operations: readonly Operation[]) {
  const batch = level.batch();
  for (const operation of operations) {
    if (operation.type === 'put') batch.put(operation.key, operation.value);
    else batch.del(operation.key);
  }
  return batch;
}

function unavailable(cause: unknown, reason?: string): StorageUnavailable {
  if (cause instanceof StorageUnavailable) return cause;
  if (isDiskFull(cause)) return tooLittleRoom(cause);
  return new StorageUnavailable('The rows cannot be written for now', { cause, reason });
}
