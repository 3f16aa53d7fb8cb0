import { memoryBytes, memoryShare } from '../../lib/memory.js';
import type { OnGroup } from '../engine.js';
import type { Change, Decide, ItemStore } from '../item-store.js';
import { createGroupCommit, type Operation } from '../shared/group-commit.js';
import { StorageUnavailable } from '../storage-errors.js';
import { createDeletedRange } from './deleted-range.js';
import { isDiskFull } from './disk-room.js';
import { createDueIndex } from './due-index.js';
import { findDue } from './due-rows.js';
import { createEmptiedRows } from './emptied-rows.js';
import { createKeyPages } from './key-pages.js';
import type { FolderLocation } from './open-folder.js';
import { createPresentRows, type PresentDependencies } from './present-rows.js';
import { rangeInSpace, readBatches, readTexts } from './read.js';
import { createRowCache } from './row-cache.js';
import { behindDueIndex, dueMark, encodeRow, parseDueKey, rowKey } from './row-encoding.js';
import { createRowReader } from './row-reader.js';
import { freezeRows, scannedRowsOf, scanRows, spacesIn, valueIn } from './scan-rows.js';
import { readFirstRows } from './seek.js';
import { createShrinker } from './shrink.js';
import { type CachedRows, takeSnapshot } from './snapshot.js';
import { openFolderLevel, type SyncedDatabase } from './synced-database.js';
import { verifyRows } from './verify-rows.js';

const rowCacheBytes = 44 * 1024 * 1024;
/** For the keys of indexes: a thirty-second of the memory, and not more than those of 1,500,000 entries, about. */
const maxPageBytes = () => Math.min(64 * 1024 * 1024, Math.floor(memoryBytes() / 32));

/**
 * The item store of one machine: LevelDB in a folder, or the same code over memory. Throws `StoreMissing`,
 * `RowsDamaged`, or LevelDB's error.
 *
 * The path of a put, from the socket to the sync:
 *
 *   base/service.ts                 calls `transact` with the keys of the rows that it must see
 *   └ transact (here)               turns the change into operations on row keys
 *     └ shared/group-commit.ts      waits while a group is written; then decides all that waited, one after the other,
 *       │                           over the rows of row-reader.ts and what those before it have decided
 *       └ commit (here)             adds the operations on the due index (due-index.ts), takes the rows from the cache
 *         └ synced-database.ts      reopens LevelDB if the last write failed
 *           ├ track-log.ts `before` preallocates space in the log
 *           ├ LevelDB               appends one record to its log, syncs it, and shows it to readers
 *           └ track-log.ts `after`  accepts the record; if LevelDB began a new log with it, syncs the folder's entry
 *   group-commit.ts                 begins the next group, then answers each transaction of this one
 */
export async function openLevelStore(
  location: FolderLocation | { memory: true },
  onGroup?: OnGroup,
): Promise<ItemStore> {
  const database = 'folder' in location ? await openFolderLevel(location) : await openMemory();
  const { room } = database;
  const noteDeleted = createDeletedRange(database);
  const cache = createRowCache(memoryShare(rowCacheBytes));
  const pages = createKeyPages(maxPageBytes());
  /** The row keys of the batch that is being written. */
  const inFlight = new Set<string>();
  /** See `CachedRows`. */
  let epoch = 0;
  const { readRow, readBefore, bytesBefore, noteWritten } = createRowReader(database, cache, inFlight);
  /** Why the group that is being committed could not be written at first. */
  let failed: StorageUnavailable | undefined;
  // One process owns the store, so what is read here does not change until the batch is written.
  const commit = createGroupCommit(async (_keys, decide) => {
    if (database.current === undefined) await database.opened();
    if (room.isShort) await room.look();
    try {
      await commitDecided(decide(readRow));
    } catch (cause) {
      if (!(cause instanceof StorageUnavailable && isDiskFull(cause))) throw cause;
      // Now `decide` refuses all changes of the group but those that make room: they may use the reserve.
      failed = cause;
      if (database.current === undefined) await database.opened();
      const operations = decide(readRow);
      if (operations.length === 0) return;
      await room.giveBack();
      await commitDecided(operations);
    } finally {
      failed = undefined;
    }
  }, onGroup);
  async function commitDecided(operations: readonly Operation[]): Promise<void> {
    if (operations.length === 0) return;
    await write(dueIndex.withEntries(operations, readBefore));
    noteDeleted(operations);
  }
  const dueIndex = createDueIndex(async function* () {
    // The entries must include those of the group that is being written: this waits for that group.
    await commit.submit([], () => ({ operations: [], result: undefined }));
    for await (const entries of readBatches<Buffer>(
      database,
      { gte: dueMark, lt: behindDueIndex },
      'buffer',
    )) {
      yield entries.map(([entry]) => parseDueKey(entry).rowKey);
    }
  });
  const cachedRows: CachedRows = {
    epoch: () => epoch,
    beforeNextEpoch: new Set(),
    row: (id) => cache.get(id),
    addRow(id, raw) {
      if (!inFlight.has(id)) cache.add(id, raw);
    },
    pages,
  };
  const presentDependencies: PresentDependencies = {
    pages,
    read: (id) => valueIn(readRow(id)),
    diskReads: () => database.activity.reads,
    isInFlight: (id) => inFlight.has(id),
  };
  const emptied = createEmptiedRows();
  const { tables } = database;
  const shrinker =
    'folder' in location && tables !== undefined
      ? await createShrinker({
          folder: location.folder,
          tables,
          emptied,
          isHeldBack: () => room.isShort || !database.fences.isEmpty,
          rewrite: (ids) =>
            commit.submit(ids, (raws) => ({ operations: ids.map(unchanged(raws)), result: undefined })),
        })
      : undefined;
  const learnDue = () => dueIndex.learn().catch(() => {});
  void learnDue();

  async function write(operations: readonly Operation[]): Promise<void> {
    // Until the batch is written, all of its rows are read from LevelDB. With some of them in the cache, a reader could
    // see one row before the batch and another one after it. Rows that were read often enough come back afterwards.
    const hot = new Set<string>();
    if (shrinker !== undefined) emptied.note(operations, bytesBefore);
    beginEpoch();
    pages.beginWrite(operations);
    for (const { key } of operations) {
      inFlight.add(key);
      noteWritten(key);
      if (cache.remove(key)) hot.add(key);
    }
    let isWritten = false;
    try {
      await database.write(operations);
      isWritten = true;
    } finally {
      inFlight.clear();
      beginEpoch();
      pages.endWrite(isWritten);
    }
    shrinker?.noteWrite();
    if (hot.size === 0) return;
    // The last operation on a key counts.
    for (const operation of operations.toReversed()) {
      if (hot.delete(operation.key) && operation.type === 'put')
        cache.addWritten(operation.key, operation.value);
    }
  }

  function beginEpoch(): void {
    for (const prepare of cachedRows.beforeNextEpoch) prepare();
    cachedRows.beforeNextEpoch.clear();
    epoch++;
  }

  return {
    isShared: false,

    /**
     * Reads synchronously. A read takes 2–4 µs of the event loop, less than a call of the thread pool; a row that is in
     * no cache takes one read of the disk.
     */
    get(space, key) {
      const id = rowKey(space, key);
      if (database.current === undefined) return database.opened().then(() => valueIn(readRow(id)));
      return valueIn(readRow(id));
    },

    transact<T>(space: string, keys: readonly string[], decide: Decide<T>) {
      const ids = keys.map((key) => rowKey(space, key));
      return commit.submit<T>(ids, (raws) => {
        const change = decide(raws.map(valueIn));
        if (room.isShort && !makesRoom(change)) throw failed ?? database.refusal();
        const operations = operationsOf(space, change);
        if (!database.fences.isEmpty) for (const { key } of operations) database.fences.check(key);
        return { operations, result: change.result };
      });
    },

    scan: (space, range) => scanRows(database, space, range),

    scanText: (space, range = {}) => readTexts(database, space, range),

    async snapshot(space) {
      const snapshot = await takeSnapshot(database, cachedRows);
      return {
        keys: (range) => snapshot.keys(space, range),
        scan: (range) => scannedRowsOf(space, range, snapshot.rows(rangeInSpace(space, range))),
        scanText: (range) => snapshot.scanText(space, range),
        texts: (keys) => snapshot.texts(keys.map((key) => rowKey(space, key))),
        counts: (range) => snapshot.counts(space, range),
        dueKeys: (beforeSeconds, limit) => snapshot.dueKeys(space, beforeSeconds, limit),
        close: snapshot.close,
      };
    },

    present(space) {
      if (database.current === undefined || !database.fences.isEmpty) return undefined;
      return createPresentRows(rowKey(space, ''), presentDependencies);
    },

    freeze: () => freezeRows(database),

    spaces: (prefix, range) => spacesIn(database, prefix, range),

    firstRows: (spaces, range) => readFirstRows(database, spaces, range),

    due(beforeSeconds, limit) {
      void learnDue();
      return findDue(database, commit, beforeSeconds, limit);
    },

    verify: database.verify && ((pace) => verifyRows(database, pace)),
    ready: database.ready,
    refusal() {
      if (room.isShort) return room.look().then(() => (room.isShort ? database.refusal() : undefined));
      room.noteWrite();
      return undefined;
    },
    reads: () => database.activity.reads,
    cache: cache.counts,
    storedBytes: database.storedBytes,
    shrink: shrinker && ((pace = {}) => shrinker.run(pace)),

    async close() {
      await commit.idle();
      // It only saves the work of finding it again.
      await shrinker?.close().catch(() => {});
      await database.close();
    },
  };
}

/** Whether a change is taken on a disk that has little room: one that makes room, or changes nothing. */
function makesRoom<T>({ puts = [], makesRoom = false }: Change<T>): boolean {
  return makesRoom || puts.length === 0;
}

function operationsOf<T>(space: string, change: Change<T>): Operation[] {
  const operations: Operation[] = [];
  for (const put of change.puts ?? []) {
    const key = rowKey(space, put.key);
    operations.push({ type: 'put', key, value: encodeRow(key, put) });
  }
  for (const key of change.deletes ?? []) operations.push({ type: 'del', key: rowKey(space, key) });
  return operations;
}

/** Makes the function that gives the operation on a row after which it is as it was. */
function unchanged(raws: readonly (Buffer | undefined)[]) {
  return (key: string, at: number): Operation => {
    const value = raws[at];
    return value === undefined ? { type: 'del', key } : { type: 'put', key, value };
  };
}

/** Imported only here: a server with a folder starts without the library. */
async function openMemory(): Promise<SyncedDatabase> {
  const { openMemoryLevel } = await import('./memory-database.js');
  return await openMemoryLevel();
}
