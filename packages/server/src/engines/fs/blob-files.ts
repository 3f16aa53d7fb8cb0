import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere, isCode } from '../../lib/folder.js';
import { groupsOf } from '../../lib/groups.js';
import { isRandomId } from '../../lib/random-id.js';
import { type BlobInfo, type ByteRange, type StoredBlob, summedBytes } from '../blob-store.js';
import { createBlobSums } from '../shared/blob-sums.js';
import { BlobMissing, BytesDamaged } from '../storage-errors.js';
import { onDisk, readFailure } from './errors.js';
import { readFirstBytes } from './read-file.js';
import type { Shards } from './shards.js';
import { writeTogether } from './write-together.js';

/** What is gathered for a write. */
export const writeBytes = 512 * 1024;
/** This many subfolders are read at once: Node has four threads for it. */
const shardsTogether = 4;

/**
 * Blobs that have files of their own. What each of the functions does is in `BlobStore`.
 *
 * Each blob is a file, `{folder}/ab/abcdef…`; the first two digits of its id name its subfolder. A blob is written in its
 * place; its file and its folder's entry are synced before any row names it. After a crash, a half-written blob is an
 * orphan, like a whole one without its row: maintenance removes both. (To write a blob elsewhere and rename it takes a
 * third more time.)
 */
export function createBlobFiles(shards: Shards, syncFolder: (folder: string) => Promise<void>) {
  /** Blobs that are being written. For readers they do not exist yet. */
  const unfinished = new Set<string>();

  const fileOf = (id: string) => join(shards.of(id), id);

  return {
    async write(id: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<BlobInfo> {
      const path = fileOf(id);
      const made = shards.make(id);
      if (made !== undefined) await onDisk(made);
      const handle = await onDisk(open(path, 'wx', 0o600));
      unfinished.add(id);
      try {
        const info = await writeChunks(handle, chunks);
        await onDisk(handle.datasync());
        await onDisk(syncFolder(shards.of(id)));
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
    },

    async *read(id: string, range: ByteRange | undefined): AsyncGenerator<Buffer> {
      refuseUnfinished(id);
      const handle = await open(fileOf(id), 'r').catch((cause) => missingOrUnavailable(id, cause));
      try {
        yield* readChunks(handle, id, range);
      } finally {
        await handle.close();
      }
    },

    async readWhole(id: string, sizeBytes: number): Promise<Buffer> {
      refuseUnfinished(id);
      const bytes = await readFirstBytes(fileOf(id), sizeBytes).catch((cause) =>
        missingOrUnavailable(id, cause),
      );
      if (bytes.length !== sizeBytes)
        throw new BytesDamaged(`Blob ${id} ends at ${bytes.length}, before ${sizeBytes}`);
      return bytes;
    },

    async delete(ids: readonly string[]): Promise<void> {
      for (const id of ids) await onDisk(ifThere(unlink(fileOf(id))));
    },

    async *list(): AsyncGenerator<StoredBlob> {
      for (const some of groupsOf(await onDisk(shards.all()), shardsTogether)) {
        const read = some.map((shard) => onDisk(readdir(shard)));
        for (const id of (await Promise.all(read)).flat()) {
          const blob = isRandomId(id) && !unfinished.has(id) ? await storedBlob(id, fileOf(id)) : undefined;
          if (blob !== undefined) yield blob;
        }
      }
    },
  };

  function refuseUnfinished(id: string): void {
    if (unfinished.has(id)) throw new BlobMissing(`There is no blob ${id} yet`);
  }

  async function missingOrUnavailable(id: string, cause: unknown): Promise<never> {
    if (isCode(cause, 'ENOENT') && (await onDisk(shards.isStoreThere(id))))
      throw new BlobMissing(`There is no blob ${id}`);
    throw readFailure(`Blob ${id}`, cause);
  }
}

/** What is stored at this path; undefined if it was deleted since its folder was read. */
async function storedBlob(id: string, path: string): Promise<StoredBlob | undefined> {
  const found = await onDisk(ifThere(stat(path)));
  return found && { id, writtenSeconds: Math.floor(found.mtimeMs / 1000), sizeBytes: found.size };
}

/** The bytes of a blob, or of a range of it, in chunks. A chunk is overwritten by the next one. */
async function* readChunks(handle: FileHandle, id: string, range?: ByteRange): AsyncGenerator<Buffer> {
  let at = range?.start ?? 0;
  const end = range === undefined ? (await onDisk(handle.stat())).size : range.end + 1;
  // One buffer for all chunks: otherwise many large downloads leave hundreds of megabytes to the garbage collector.
  const buffer = Buffer.allocUnsafe(Math.min(summedBytes, Math.max(0, end - at)));
  while (at < end) {
    const wanted = Math.min(buffer.length, end - at);
    const { bytesRead } = await handle.read(buffer, 0, wanted, at).catch((cause) => {
      throw readFailure(`Blob ${id}`, cause);
    });
    if (bytesRead === 0) throw new BytesDamaged(`Blob ${id} ends at ${at}, before ${end}`);
    at += bytesRead;
    yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
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
