import { statfs } from 'node:fs/promises';
import { randomId } from '../../lib/random-id.js';
import { readHead } from '../../lib/read-head.js';
import type { AddedBlob, BlobStore } from '../blob-store.js';
import { createBlobSums } from '../shared/blob-sums.js';
import { createInFlight } from '../shared/in-flight.js';
import { BlobMissing, BytesDamaged } from '../storage-errors.js';
import { createBlobFiles, writeBytes } from './blob-files.js';
import { onDisk } from './errors.js';
import { openPacks } from './packs/packs.js';
import { openShards } from './shards.js';
import { createSharedSync } from './shared-sync.js';

export interface FsBlobStoreOptions {
  /** Whether no other process adds blobs to the folder while it is open. Default: false. */
  readonly isAlone?: boolean;
  readonly clock?: () => number;
  /** How large a pack becomes. */
  readonly packBytes?: number;
}

/** Larger blobs have files of their own: to make one is little of their time, and its room is free as soon as it is deleted. */
const maxPackedBytes = 1024 * 1024;
/** A pack is a small part of its disk: what is left of it must have room on the disk when it is written anew. */
const mostPackBytes = 32 * 1024 * 1024;
const leastPackBytes = 1024 * 1024;
const packPart = 1 / 256;

/**
 * The blob store of one machine, or of a disk that several machines share. A blob has a file of its own, or shares one, a
 * pack. To make a file takes some 0.9 ms of processor time, to append to one 0.1 ms; so small blobs that are added go into
 * packs, unless other servers use the folder too.
 */
export async function openFsBlobStore(
  folder: string,
  { isAlone = false, clock = Date.now, packBytes }: FsBlobStoreOptions = {},
): Promise<BlobStore> {
  const syncFolder = createSharedSync();
  const shards = await openShards(folder, syncFolder);
  const files = createBlobFiles(shards, syncFolder);
  const packs = await openPacks({
    folder: shards.packs,
    packBytes: packBytes ?? (await usualPackBytes(folder)),
    clock,
    isAlone,
    makeFolder: shards.makePacks,
    syncFolder,
  });
  const { track, close } = createInFlight('blob store');

  async function add(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<AddedBlob> {
    const head = await readHead(chunks, isAlone ? maxPackedBytes : -1);
    try {
      if (!head.isAll) {
        const id = randomId();
        return { id, ...(await files.write(id, head.all())) };
      }
      const sums = createBlobSums();
      for (const chunk of head.chunks) sums.add(chunk);
      return { id: await packs.append(head.chunks, head.sizeBytes), ...sums.info() };
    } finally {
      await head.end();
    }
  }

  /** Reads a blob that no known pack has. */
  async function readFile(id: string, sizeBytes: number): Promise<Buffer> {
    try {
      return await files.readWhole(id, sizeBytes);
    } catch (cause) {
      const isLate = cause instanceof BlobMissing && (await packs.isFoundAnew(id));
      const bytes = isLate ? await packs.readWhole(id) : undefined;
      if (bytes === undefined) throw cause;
      return bytes;
    }
  }

  return {
    // What is being written, and what is gathered for the next write; or what is gathered for a pack.
    keptByWrite: Math.max(2 * writeBytes, maxPackedBytes),

    write: (id, chunks) =>
      track(async () => {
        const info = await files.write(id, chunks);
        // If a blob of this id is in a pack, its bytes were wrong. They must not be read again.
        await packs.delete([id]);
        return info;
      }),

    add: (chunks) => track(() => add(chunks)),

    async *read(id, range) {
      if (yield* packs.read(id, range)) return;
      try {
        yield* files.read(id, range);
      } catch (cause) {
        const isLate = cause instanceof BlobMissing && (await packs.isFoundAnew(id));
        if (!isLate || !(yield* packs.read(id, range))) throw cause;
      }
    },

    async readWhole(id, sizeBytes) {
      const bytes = (await packs.readWhole(id)) ?? (await readFile(id, sizeBytes));
      if (bytes.length === sizeBytes) return bytes;
      throw new BytesDamaged(`Blob ${id} has ${bytes.length} bytes, and not ${sizeBytes}`);
    },

    delete: (ids) => track(async () => await files.delete(await packs.delete(ids))),

    async *ids() {
      yield* files.list();
      yield* packs.list();
    },

    async close() {
      await close();
      await packs.close();
    },
  };
}

async function usualPackBytes(folder: string): Promise<number> {
  const { blocks, bsize } = await onDisk(statfs(folder));
  return Math.min(mostPackBytes, Math.max(leastPackBytes, blocks * bsize * packPart));
}
