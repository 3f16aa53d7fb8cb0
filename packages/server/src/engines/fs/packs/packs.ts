import { open } from 'node:fs/promises';
import { allSettledOrThrow } from '../../../lib/concurrency/all-settled.js';
import { onceDone } from '../../../lib/concurrency/once-done.js';
import { createSemaphore, createSemaphores } from '../../../lib/concurrency/semaphore.js';
import type { StoredBlob } from '../../blob-store.js';
import { storageFailure } from '../errors.js';
import { readBytes } from '../read-file.js';
import { makeSubfolder } from '../subfolder.js';
import { writeTogether } from '../write-together.js';
import { createOpenPacks } from './open-packs.js';
import { openPackCatalog } from './pack-catalog.js';
import { type PackedBlob, recordBytes } from './pack-ids.js';
import { createPackReads, isOf, type PackReads } from './pack-reads.js';
import { createPackWriter } from './pack-writer.js';
import { type FoundRecords, readRecords } from './read-records.js';
import { createReclaim } from './reclaim.js';
import { headerBytes, headerOf, readHeader } from './record.js';

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

/** Of how many packs blobs are deleted at a time: each call of the disk waits for those of uploads. */
const packsAtOnce = 8;

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
  const atMostEight = createSemaphore(() => packsAtOnce);
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

  /** Marks blobs of one pack as gone, and gives the ids of those that it does not have. */
  async function deleteFrom(pack: string, blobs: readonly DeletedBlob[]): Promise<readonly string[]> {
    const others: string[] = [];
    const file = await open(catalog.pathOf(pack), 'r+');
    try {
      for (const { id, at, sizeBytes } of blobs) {
        const header = readHeader(await readBytes(file.fd, at, headerBytes));
        if (!isOf(header, id)) {
          others.push(id);
          continue;
        }
        // A damaged header is written anew: no other blob was ever here.
        const { writtenMs } = header === 'damaged' ? { writtenMs: 0 } : header;
        const gone = { state: 'gone', id, lengthBytes: recordBytes(sizeBytes), writtenMs } as const;
        await writeTogether(file, [headerOf(gone)], at);
        reclaim.noteGone(pack, { ...gone, at, sizeBytes });
      }
    } finally {
      await file.close();
    }
    return others;
  }

  return {
    append: writer.append,
    readWhole: reads.readWhole,
    read: reads.read,
    isFoundAnew: async (id) => (await catalog.findAnew(id)) !== undefined,

    async delete(ids) {
      const others: string[] = [];
      const byPack = new Map<string, DeletedBlob[]>();
      for (const id of ids) {
        const blob = catalog.find(id);
        if (blob === undefined) others.push(id);
        else {
          const known = byPack.get(blob.pack);
          if (known === undefined) byPack.set(blob.pack, [{ ...blob, id }]);
          else known.push({ ...blob, id });
        }
      }
      const left = await allSettledOrThrow(
        [...byPack].map(([pack, blobs]) =>
          atMostEight(async () => {
            const notThere = await reads.whileThere(
              pack,
              () => inTurn(pack)(() => deleteFrom(pack, blobs)),
              storageFailure,
            );
            return notThere ?? blobs.map(({ id }) => id);
          }),
        ),
      );
      return others.concat(...left);
    },

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

interface DeletedBlob extends PackedBlob {
  readonly id: string;
}
