import { type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isBlobId } from './blob-id.js';
import type { BlobInfo, BlobStore, StoredBlob } from './blob-store.js';
import { BlobMissing, StorageUnavailable } from './failures.js';
import { isCode, storageFailure } from './fs-failure.js';
import { createSharedSync, syncFolder } from './fs-folder-sync.js';

/** One call to the disk moves at most so much: enough to be fast, little enough to hold for every request. */
const chunkBytes = 256 * 1024;
const incoming = 'incoming';
const shards = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

/** What nobody has written to for so long was left by a crash: no upload goes on for a day without a byte. */
const abandonedMs = 24 * 60 * 60 * 1000;

export interface FsBlobStoreOptions {
  /** Whether other processes may write to the folder at the same time: what they are writing is left alone. */
  readonly isShared?: boolean;
}

/**
 * The byte engine of one machine, or of a disk that several share: `{folder}/ab/abcdef…`, a file a blob, spread by
 * the first two digits of the id. A blob is written under `{folder}/incoming`, synced, renamed to its place, and its
 * folder entry is synced: what lies in its place is whole. What a crash left in `incoming` is removed here: at once
 * by the one process that owns the folder, after a day where it is shared.
 * All subfolders are made (and synced) now, so that no write has to make one.
 */
export async function openFsBlobStore(
  folder: string,
  { isShared = false }: FsBlobStoreOptions = {},
): Promise<BlobStore> {
  await prepare(folder, isShared);
  const syncShared = createSharedSync();
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  function track<T>(work: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new StorageUnavailable('The blob store is closed'));
    const promise = work();
    underWay.add(promise);
    const forget = () => underWay.delete(promise);
    promise.then(forget, forget);
    return promise;
  }

  const shardOf = (id: string) => join(folder, id.slice(0, 2));
  const fileOf = (id: string) => join(shardOf(id), id);

  async function writeBlob(id: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<BlobInfo> {
    const temporary = join(folder, incoming, id);
    let place = temporary;
    let handle: FileHandle | undefined;
    try {
      handle = await onDisk(open(temporary, 'wx', 0o600));
      const info = await writeChunks(handle, chunks);
      await onDisk(handle.datasync());
      const full = handle;
      handle = undefined;
      await onDisk(full.close());
      await onDisk(rename(temporary, fileOf(id)));
      place = fileOf(id);
      await onDisk(syncShared(shardOf(id)));
      return info;
    } catch (cause) {
      // "when it rejects, nothing is kept": the first failure is the one to tell, so those of cleaning up are not.
      await handle?.close().catch(() => {});
      if (!isCode(cause, 'EEXIST')) await unlink(place).catch(() => {});
      throw cause;
    }
  }

  return {
    write: (id, chunks) => track(() => writeBlob(id, chunks)),

    async *read(id, range) {
      const handle = await openBlob(id);
      try {
        let at = range?.start ?? 0;
        const end = range === undefined ? (await onDisk(handle.stat())).size : range.end + 1;
        // One buffer for all chunks: many large downloads would else leave hundreds of megabytes to be collected.
        const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(0, end - at)));
        while (at < end) {
          const wanted = Math.min(buffer.length, end - at);
          const { bytesRead } = await onDisk(handle.read(buffer, 0, wanted, at));
          if (bytesRead === 0) throw new Error(`Blob ${id} ends at ${at}, before ${end}`);
          at += bytesRead;
          yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
    },

    delete: (ids) =>
      track(async () => {
        for (const id of ids) {
          try {
            await unlink(fileOf(id));
          } catch (cause) {
            if (!isCode(cause, 'ENOENT')) throw storageFailure(cause);
          }
        }
      }),

    async *ids() {
      for (const shard of shards) {
        const names = await onDisk(readdir(join(folder, shard)));
        for (const id of names) {
          const blob = isBlobId(id) ? await storedBlob(id) : undefined;
          if (blob !== undefined) yield blob;
        }
      }
    },

    async close() {
      closed = true;
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };

  async function openBlob(id: string): Promise<FileHandle> {
    try {
      return await open(fileOf(id), 'r');
    } catch (cause) {
      // Without its folder, the store is away and not the blob.
      if (isCode(cause, 'ENOENT') && (await exists(shardOf(id))))
        throw new BlobMissing(`There is no blob ${id}`);
      throw storageFailure(cause);
    }
  }

  async function storedBlob(id: string): Promise<StoredBlob | undefined> {
    try {
      return { id, writtenSeconds: Math.floor((await stat(fileOf(id))).mtimeMs / 1000) };
    } catch (cause) {
      // Deleted since the folder was read.
      if (isCode(cause, 'ENOENT')) return undefined;
      throw storageFailure(cause);
    }
  }
}

async function prepare(folder: string, isShared: boolean): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (isShared) await removeAbandoned(join(folder, incoming));
  else await rm(join(folder, incoming), { recursive: true, force: true });
  const present = new Set(await readdir(folder));
  for (const name of [incoming, ...shards]) {
    if (!present.has(name)) await makeShard(join(folder, name));
  }
  await syncFolder(folder);
  await syncFolder(join(folder, '..'));
}

async function makeShard(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    // Another process that shares the folder has made it at this moment.
    if (!isCode(cause, 'EEXIST')) throw cause;
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  const names = (await exists(folder)) ? await readdir(folder) : [];
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < Date.now() - abandonedMs) await rm(join(folder, name), { force: true });
  }
}

/** Takes chunks until one call's worth is there, then writes them together: a small body is one write. */
async function writeChunks(
  handle: FileHandle,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<BlobInfo> {
  let sizeBytes = 0;
  let checksum = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;

  async function flush(): Promise<void> {
    const bytes = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting, waitingBytes);
    waiting = [];
    waitingBytes = 0;
    for (let at = 0; at < bytes.length; ) {
      at += (await onDisk(handle.write(bytes, at))).bytesWritten;
    }
  }

  for await (const chunk of chunks) {
    checksum = crc32(chunk, checksum);
    sizeBytes += chunk.length;
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= chunkBytes) await flush();
  }
  await flush();
  return { sizeBytes, crc32: checksum };
}

/** Tells the disk's failures from the source's: only these become `StorageUnavailable`. */
async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw storageFailure(cause);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return false;
    throw storageFailure(cause);
  }
}
