import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { giveBack } from '../../lib/blocks.js';
import { isRandomId } from '../../lib/random-id.js';
import type { BlobInfo, BlobStore, ByteRange, StoredBlob } from '../blob-store.js';
import { createBlobSums } from '../shared/blob-sums.js';
import { createInFlight } from '../shared/in-flight.js';
import { BlobMissing, BytesDamaged } from '../storage-errors.js';
import { isCode, storageFailure } from './errors.js';
import { readFirstBytes } from './read-file.js';
import { openShards } from './shards.js';
import { createSharedSync } from './shared-folder-sync.js';

/** The largest read: large enough to be fast, small enough to buffer for every request. */
const chunkBytes = 256 * 1024;
/** What is gathered for a write. */
const writeBytes = 512 * 1024;
/** Subfolders are read so many at once: Node has four threads for it. */
const shardsTogether = 4;

/**
 * The blob store of one machine, or of a disk that several machines share. Each blob is a file, `{folder}/ab/abcdef…`;
 * the first two digits of its id name its subfolder. A blob is written in its place; its file and its folder's entry
 * are synced before any row names it. After a crash, a half-written blob is an orphan, like a whole one without its
 * row: maintenance removes both. (To write a blob elsewhere and rename it takes a third more time.)
 */
export async function openFsBlobStore(folder: string): Promise<BlobStore> {
  const syncShared = createSharedSync();
  const shards = await openShards(folder, syncShared);
  const { track, close } = createInFlight('blob store');
  /** Blobs that are being written. For readers they do not exist yet. */
  const unfinished = new Set<string>();

  const fileOf = (id: string) => join(shards.of(id), id);

  async function writeBlob(id: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<BlobInfo> {
    const path = fileOf(id);
    const made = shards.make(id);
    if (made !== undefined) await onDisk(made);
    const handle = await onDisk(open(path, 'wx', 0o600));
    unfinished.add(id);
    try {
      const info = await writeChunks(handle, chunks);
      await onDisk(handle.datasync());
      await onDisk(syncShared(shards.of(id)));
      return info;
    } catch (cause) {
      // A write that rejects keeps nothing. The first failure is reported, not one of removing the file.
      await unlink(path).catch(() => {});
      throw cause;
    } finally {
      unfinished.delete(id);
      // The bytes are synced, so nobody needs to wait for this and a failure does no harm.
      handle.close().catch(() => {});
    }
  }

  return {
    // What is being written, and what is gathered for the next write.
    keptByWrite: 2 * writeBytes,

    write: (id, chunks) => track(() => writeBlob(id, chunks)),

    async *read(id, range) {
      const handle = await openBlob(id);
      try {
        yield* readChunks(handle, id, range);
      } finally {
        await handle.close();
      }
    },

    async readWhole(id, sizeBytes) {
      if (unfinished.has(id)) throw new BlobMissing(`There is no blob ${id} yet`);
      const bytes = await readFirstBytes(fileOf(id), sizeBytes).catch((cause) =>
        missingOrUnavailable(id, cause),
      );
      if (bytes.length !== sizeBytes)
        throw new BytesDamaged(`Blob ${id} ends at ${bytes.length}, before ${sizeBytes}`);
      return bytes;
    },

    delete: (ids) =>
      track(async () => {
        for (const id of ids) await removeIfThere(fileOf(id));
      }),

    async *ids() {
      const all = await onDisk(shards.all());
      for (let at = 0; at < all.length; at += shardsTogether) {
        const read = all.slice(at, at + shardsTogether).map((shard) => onDisk(readdir(shard)));
        for (const id of (await Promise.all(read)).flat()) {
          const blob = isRandomId(id) && !unfinished.has(id) ? await storedBlob(id, fileOf(id)) : undefined;
          if (blob !== undefined) yield blob;
        }
      }
    },

    close,
  };

  async function openBlob(id: string): Promise<FileHandle> {
    if (unfinished.has(id)) throw new BlobMissing(`There is no blob ${id} yet`);
    return await open(fileOf(id), 'r').catch((cause) => missingOrUnavailable(id, cause));
  }

  async function missingOrUnavailable(id: string, cause: unknown): Promise<never> {
    if (isCode(cause, 'ENOENT') && (await onDisk(shards.isStoreThere(id))))
      throw new BlobMissing(`There is no blob ${id}`);
    throw storageFailure(cause);
  }
}

/** What is stored at this path; undefined if it was deleted since its folder was read. */
async function storedBlob(id: string, path: string): Promise<StoredBlob | undefined> {
  try {
    const { mtimeMs, size } = await stat(path);
    return { id, writtenSeconds: Math.floor(mtimeMs / 1000), sizeBytes: size };
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return undefined;
    throw storageFailure(cause);
  }
}

/** The bytes of a blob, or of a range of it, in chunks. A chunk is overwritten by the next one. */
async function* readChunks(handle: FileHandle, id: string, range?: ByteRange): AsyncGenerator<Buffer> {
  let at = range?.start ?? 0;
  const end = range === undefined ? (await onDisk(handle.stat())).size : range.end + 1;
  // One buffer for all chunks: otherwise many large downloads leave hundreds of megabytes to the garbage collector.
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(0, end - at)));
  while (at < end) {
    const wanted = Math.min(buffer.length, end - at);
    const { bytesRead } = await onDisk(handle.read(buffer, 0, wanted, at));
    if (bytesRead === 0) throw new BytesDamaged(`Blob ${id} ends at ${at}, before ${end}`);
    at += bytesRead;
    yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (cause) {
    if (!isCode(cause, 'ENOENT')) throw storageFailure(cause);
  }
}

/**
 * Writes chunks together, so that a small body is one write, and takes more of them in the meantime. Measured with
 * 100 MB in parts of 10 MiB, four at a time, in turns with copying 256 KiB for each write and waiting for it: 1.5 to 3
 * times the bytes a second, half of the processor time.
 */
async function writeChunks(
  handle: FileHandle,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<BlobInfo> {
  const sums = createBlobSums();
  let collected: Buffer[] = [];
  let collectedBytes = 0;
  let writing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    await writing;
    writing = onDisk(writeTogether(handle, collected));
    // Its failure is thrown by whoever waits for it.
    writing.catch(() => {});
    collected = [];
    collectedBytes = 0;
  }

  try {
    for await (const chunk of chunks) {
      sums.add(chunk);
      collected.push(chunk);
      collectedBytes += chunk.length;
      if (collectedBytes >= writeBytes) await flush();
    }
    if (collectedBytes > 0) await flush();
    await writing;
  } finally {
    // The file must not be closed before, and the first failure is the one that is thrown.
    await writing?.catch(() => {});
  }
  return sums.info();
}

async function writeTogether(handle: FileHandle, buffers: readonly Buffer[]): Promise<void> {
  let { bytesWritten } = await handle.writev(buffers);
  for (const buffer of buffers) {
    let at = Math.min(bytesWritten, buffer.length);
    bytesWritten -= at;
    // A write may take less than it was given.
    while (at < buffer.length) at += (await handle.write(buffer, at)).bytesWritten;
    giveBack(buffer);
  }
}

/** Marks failures of the disk, not those of the source, as `StorageUnavailable`. */
async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw storageFailure(cause);
  }
}
