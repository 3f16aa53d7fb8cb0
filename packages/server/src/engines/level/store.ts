import { memoryBytes, memoryShare } from '../../lib/memory.js';
import type { OnGroup } from '../engine.js';
import type { Change, ItemStore } from '../item-store.js';
import { batchesOf } from '../shared/first-batch.js';
import type { Decision, Operation } from '../shared/group-commit.js';
import { createKeyPages } from './cache/key-pages.js';
import { RowCache } from './cache/row-cache.js';
import { createRowMemory, type RowMemory } from './cache/row-memory.js';
import { openFolderLevel } from './database/folder-database.js';
import type { FolderLocation } from './database/open-folder.js';
import type { SyncedDatabase } from './database/synced-database.js';
import { findDue } from './due/find-due.js';
import { readTexts } from './reading/read.js';
import { createRowReader, type RowReader } from './reading/row-reader.js';
import { freezeRows, scanRows, spacesIn, valueIn } from './reading/scan-rows.js';
import { readFirstRows } from './reading/seek.js';
import { takeSnapshot } from './reading/snapshot.js';
import { createSynchronousRows } from './reading/synchronous-rows.js';
import { verifyRows } from './reading/verify-rows.js';
import { createRowCommit, type RowCommit } from './row-commit.js';
import { encodeRow, rowKey, seedOf } from './rows/row-encoding.js';
import { createEmptiedRows } from './shrink/emptied-rows.js';
import { createShrinker, type Shrinker } from './shrink/shrink.js';

const rowCacheBytes = 44 * 1024 * 1024;
/** For the keys of indexes: a thirty-second of the memory, and not more than those of 1,500,000 entries, about. */
const maxPageBytes = () => Math.min(64 * 1024 * 1024, Math.floor(memoryBytes() / 32));

/**
 * The item store of one machine: LevelDB in a folder, or the same code over memory. Throws `StoreMissing`,
 * `RowsDamaged`, or LevelDB's error.
 *
 * The path of a put from here to the sync (CONTRIBUTING.md has it from the socket to here):
 *
 *   base/service.ts                 calls `transact` with the keys of the rows that it must see
 *   └ transact (here)               turns the change into operations on row keys
 *     └ shared/group-commit.ts      waits while a group is written; then decides all that waited, one after the other,
 *       │                           over the rows of row-reader.ts and what those before it have decided
 *       └ row-commit.ts             adds what the log of changes notes (change-notes.ts), and the operations on the due
 *         │                         index (due-index.ts)
 *         ├ row-memory.ts           takes the rows from the cache
 *         └ folder-database.ts      reopens LevelDB if the last write failed (reopen.ts)
 *           ├ track-log.ts `before` preallocates space in the log
 *           ├ LevelDB               appends one record to its log, syncs it, and shows it to readers
 *           └ track-log.ts `after`  accepts the record; if LevelDB began a new log with it, syncs the folder's entry
 *   group-commit.ts                 begins the next group, then answers each transaction of this one
 */
export async function openLevelStore(
  location: FolderLocation | { memory: true },
  onGroup?: OnGroup,
): Promise<ItemStore> {
  // Imported only for memory: a server with a folder starts without the library.
  const openMemory = async () => (await import('./database/memory-database.js')).openMemoryLevel();
  const database = 'folder' in location ? await openFolderLevel(location) : await openMemory();
  const { tables, room, fences } = database;
  const memory = createRowMemory(new RowCache(memoryShare(rowCacheBytes)), createKeyPages(maxPageBytes()));
  const reader = createRowReader(database, memory);
  const emptied = tables && createEmptiedRows();
  let shrinker: Shrinker | undefined;
  const noteWrite = () => shrinker?.noteWrite();
  const commit = createRowCommit({ database, memory, reader, emptied, noteWrite, onGroup });
  if ('folder' in location && tables !== undefined && emptied !== undefined) {
    shrinker = await createShrinker({
      folder: location.folder,
      tables,
      emptied,
      isHeldBack: () => !fences.isEmpty,
      room,
      rewrite: (ids) =>
        commit.groups.submit(ids, (raws) => ({ operations: ids.map(unchanged(raws)), result: undefined })),
    });
  }
  learnDue(commit);
  return storeOf({ database, memory, reader, commit, shrinker });
}

interface OpenStore {
  readonly database: SyncedDatabase;
  readonly memory: RowMemory;
  readonly reader: RowReader;
  readonly commit: RowCommit;
  readonly shrinker: Shrinker | undefined;
}

function storeOf(open: OpenStore): ItemStore {
  const { database, memory, commit, shrinker } = open;
  const { room, activity } = database;
  const { readValue } = open.reader;
  return {
    isShared: false,

    /**
     * Reads synchronously. A read takes 2–4 µs of the event loop, less than a call of the thread pool; a row that is in
     * no cache takes one read of the disk.
     */
    get(space, key) {
      const id = rowKey(space, key);
      if (database.current === undefined) return database.opened().then(() => readValue(id));
      return readValue(id);
    },

    transact(space, keys, decide, { maxReadBytes } = {}) {
      const ids = keys.map((key) => rowKey(space, key));
      return commit.groups.submit(
        ids,
        (raws) => decided(open, space, decide(raws.map(valueIn))),
        maxReadBytes,
      );
    },

    scan: (space, range = {}) => batchesOf(scanRows(database, space, range), range),
    scanText: (space, range = {}) => batchesOf(readTexts(database, space, range), range),
    snapshot: (space) => takeSnapshot(database, memory, space),
    rowsSync(space) {
      if (database.current === undefined || !database.fences.isEmpty) return undefined;
      return createSynchronousRows(rowKey(space, ''), open);
    },
    freeze: () => freezeRows(database),
    spaces: (prefix, range) => spacesIn(database, prefix, range),
    firstRows: (spaces, range) => readFirstRows(database, spaces, range),

    due(beforeSeconds, limit) {
      learnDue(commit);
      return findDue(database, commit.groups, beforeSeconds, limit);
    },

    verify: database.verify && ((pace) => verifyRows(database, pace)),
    ready: database.ready,
    keepChanges: async (rules) => commit.keepChanges(rules),
    refusal() {
      if (room.isShort) return room.look().then(() => (room.isShort ? database.refusal() : undefined));
      room.noteWrite();
      return undefined;
    },
    reads: () => activity.reads,
    cache: () => memory.cache.counts(),
    storedBytes: database.storedBytes,
    shrink: shrinker && ((pace = {}) => shrinker.run(pace)),

    async close() {
      await commit.groups.idle();
      // It only saves the work of finding it again.
      await shrinker?.close().catch(() => {});
      await database.close();
    },
  };
}

/** In the background. If it fails, the next call tries again, and until then every row may have a due time. */
function learnDue(commit: RowCommit): void {
  commit.learnDue().catch(() => {});
}

/** What becomes of a change. Throws if it may not be made now. */
function decided<T>({ database, commit }: OpenStore, space: string, change: Change<T>): Decision<T> {
  const { room, fences } = database;
  if (room.isShort && !makesRoom(change)) throw commit.failure ?? database.refusal();
  const operations = operationsOf(space, change);
  if (!fences.isEmpty) for (const { key } of operations) fences.check(key);
  return { operations, result: change.result };
}

/** Whether a change is taken on a disk that has little room: one that makes room, or changes nothing. */
function makesRoom<T>({ puts = [], makesRoom = false }: Change<T>): boolean {
  return makesRoom || puts.length === 0;
}

function operationsOf<T>(space: string, change: Change<T>): Operation[] {
  const operations: Operation[] = [];
  const { puts = [], deletes = [] } = change;
  // Of the key alone: a row key was just joined of two texts, and reading it takes 0.13 µs more.
  const before = puts.length === 0 ? 0 : seedOf(rowKey(space, ''));
  for (const put of puts) {
    const key = rowKey(space, put.key);
    operations.push({ type: 'put', key, value: encodeRow(key, put, seedOf(put.key, 0, before)) });
  }
  for (const key of deletes) operations.push({ type: 'del', key: rowKey(space, key) });
  const { onNoted } = change;
  return onNoted === undefined ? operations : operations.map((operation) => ({ ...operation, onNoted }));
}

/** Makes the function that gives the operation on a row after which it is as it was. */
function unchanged(raws: readonly (Buffer | undefined)[]) {
  return (key: string, at: number): Operation => {
    const value = raws[at];
    return value === undefined
      ? { type: 'del', key, isRewrite: true }
      : { type: 'put', key, value, isRewrite: true };
  };
}
