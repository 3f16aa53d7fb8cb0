import { onceDone } from '../../../lib/concurrency/once-done.js';
import { createSemaphores } from '../../../lib/concurrency/semaphore.js';
import { makeSubfolder } from '../../../lib/folder.js';
import type { StoredBlob } from '../../blob-store.js';
import { createOpenPacks } from './open-packs.js';
import { openPackCatalog } from './pack-catalog.js';
import { createPackDeletes } from './pack-deletes.js';
import { createPackReads, type PackReads } from './pack-reads.js';
import { createPackWriter } from './pack-writer.js';
import { type FoundRecords, readRecords } from './read-records.js';
import { createReclaim } from './reclaim.js';

/** Blobs that share files. When the disk fails, each promise rejects with `StorageUnavailable`. */
export interface Packs extends Pick<PackReads, 'readWhole' | 'read'> {
  /** Appends a blob, and gives its id when its bytes are on stable storage. The buffers must not be used again. */
  append(buffers: readonly Buffer[], sizeBytes: number): Promise<string>;
  /**
   * Reads again which packs there are, because another process may have made some. Gives whether one of them may have this
   * blob.
   */
  isFoundAnew(id: string): Promise<boolean>;
  /** Deletes those blobs that lie in packs, and gives the others. */
  delete(ids: readonly string[]): Promise<readonly string[]>;
  /** All blobs that lie in packs. */
  list(): AsyncIterable<StoredBlob>;
  /**
   * Gives back the room of what was deleted, as far as that is worth its work, but not of packs from which something was
   * deleted within `restMs` (default: 0). For tests; it also happens by itself.
   */
  reclaim(restMs?: number): Promise<void>;
  /** Call it when no other call is in progress. */
  close(): Promise<void>;
}

export interface PacksDependencies {
  readonly folder: string;
  readonly packBytes: number;
  readonly clock: () => number;
  readonly monotonicMs?: () => number;
  /** Whether no other process writes here, so that packs may be made and written anew. */
  readonly isAlone: boolean;
  /** Makes the folder if it is not there, unless its disk is not mounted. */
  readonly makeFolder: () => Promise<void> | undefined;
  readonly syncFolder: (folder: string) => Promise<void>;
}

/** Opens the packs in a folder, which need not be there. Rejects with `StorageUnavailable`. */
export async function openPacks(dependencies: PacksDependencies): Promise<Packs> {
  const {
    folder,
    packBytes,
    clock,
    isAlone,
    syncFolder,
    monotonicMs = () => performance.now(),
  } = dependencies;
  const catalog = await openPackCatalog(folder);
  const files = createOpenPacks(catalog.pathOf);
  const reads = createPackReads({ folder, catalog, files });
  /** What changes a pack goes one after the other. */
  const inTurn = createSemaphores(1);
  const mayChange = (pack: string) => isAlone && writer.isDone(pack);
  const reclaim = createReclaim({
    folder,
    catalog,
    files,
    inTurn,
    syncFolder,
    mayChange,
    recordsOf,
    monotonicMs,
  });
  const writer = createPackWriter({
    catalog,
    packBytes,
    clock,
    syncFolder,
    onFailed: reclaim.remeasure,
    async makeFolder() {
      await dependencies.makeFolder();
      await makeFolderOnce();
    },
  });
  const makeFolderOnce = onceDone(async () => {
    await makeSubfolder(catalog.own.folder);
    await syncFolder(folder);
  });

  async function recordsOf(pack: string): Promise<FoundRecords> {
    return await files.with(pack, (file) => readRecords(file, (id) => catalog.blobIn(pack, id)));
  }

  return {
    append: writer.append,
    readWhole: reads.readWhole,
    read: reads.read,
    isFoundAnew: async (id) => (await catalog.findAnew(id)) !== undefined,

    delete: createPackDeletes({ catalog, reads, inTurn, onGone: reclaim.noteGone }),

    async *list() {
      for (const pack of await catalog.all()) {
        const records = (await reads.whileThere(pack, () => recordsOf(pack)))?.records ?? [];
        const lives = records.filter(({ state }) => state === 'live');
        if (lives.length === 0 || records.some(({ state }) => state === 'gone')) reclaim.remeasure(pack);
        for (const { id, sizeBytes, writtenMs } of lives)
          if (!writer.isUnfinished(id)) yield { id, writtenSeconds: Math.floor(writtenMs / 1000), sizeBytes };
      }
    },

    reclaim: (restMs = 0) => reclaim.run(restMs),

    async close() {
      await reclaim.stop();
      await writer.close();
      files.close();
    },
  };
}
