import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createSemaphores } from '../../../lib/concurrency/semaphore.js';
import type { ByteRange, StoredBlob } from '../../blob-store.js';
import { BytesDamaged } from '../../storage-errors.js';
import { isCode, onDisk, storageFailure } from '../errors.js';
import { readBytes, readInto } from '../read-file.js';
import { createOpenPacks } from './open-packs.js';
import { createPackWriter } from './pack-writer.js';
import { isPackName, packedBlob, packOf } from './packed-id.js';
import { createReclaim } from './reclaim.js';
import { headerBytes, headerOf, readHeader } from './record.js';
import { type PackRecord, walkRecords } from './walk-records.js';

/** Blobs that share files. When the disk fails, each promise rejects with `StorageUnavailable`. */
export interface Packs {
  /** Whether the id of a blob names a pack. If it does, the blob usually lies in it. */
  isOfPack(id: string): boolean;
  /** The same, after a look at the disk: another process may have made the pack. */
  isFoundInPack(id: string): Promise<boolean>;
  /** Appends a blob, and gives its id when its bytes are on stable storage. The buffers must not be used again. */
  append(buffers: readonly Buffer[], sizeBytes: number): Promise<string>;
  /** All bytes of a blob, in a buffer that the caller may keep; undefined if no pack has it. */
  readWhole(id: string): Promise<Buffer | undefined>;
  /** The bytes of a blob in chunks, each overwritten by the next one. Returns false, without a chunk, if no pack has it. */
  read(id: string, range: ByteRange | undefined): AsyncGenerator<Buffer, boolean>;
  /** Deletes those blobs that lie in packs, and gives the others. */
  delete(ids: readonly string[]): Promise<readonly string[]>;
  /** All blobs that lie in packs. */
  list(): AsyncIterable<StoredBlob>;
  /** Gives back the room of what was deleted, as far as that is worth its work. For tests; it also happens by itself. */
  reclaim(): Promise<void>;
  /** Call it when no other call is in progress. */
  close(): Promise<void>;
}

export interface PacksDependencies {
  readonly folder: string;
  readonly packBytes: number;
  readonly clock: () => number;
  /** Whether no other process writes here, so that packs may be made and written anew. */
  readonly isAlone: boolean;
  /** Makes the folder if it is not there, unless its disk is not mounted. */
  readonly makeFolder: () => Promise<void> | undefined;
  readonly syncFolder: (folder: string) => Promise<void>;
}

const chunkBytes = 256 * 1024;

/** Opens the packs in a folder, which need not be there. Rejects with `StorageUnavailable`. */
export async function openPacks(dependencies: PacksDependencies): Promise<Packs> {
  const { folder, isAlone, syncFolder } = dependencies;
  /** The names of the packs. */
  const known = new Set(await namesIn(folder));
  const files = createOpenPacks(folder);
  const writer = createPackWriter({ ...dependencies, names: known });
  /** What changes a pack goes one after the other. */
  const inTurn = createSemaphores(1);
  const reclaim = createReclaim({
    folder,
    files,
    inTurn,
    syncFolder,
    mayChange: (pack) => isAlone && writer.isDone(pack),
    recordsOf,
    onRemoved: (pack) => known.delete(pack),
  });

  async function recordsOf(pack: string): Promise<{ records: readonly PackRecord[]; isDamaged: boolean }> {
    const records: PackRecord[] = [];
    let isDamaged = false;
    const onDamage = () => {
      isDamaged = true;
    };
    await files.with(pack, async (file) => {
      for await (const record of walkRecords(pack, file, onDamage)) records.push(record);
    });
    return { records, isDamaged };
  }

  /** Marks the blobs of one pack as gone, and gives the ids of those that it does not have. */
  async function deleteFrom(pack: string, ids: readonly string[]): Promise<readonly string[]> {
    const others: string[] = [];
    const file = await open(join(folder, pack), 'r+');
    try {
      for (const id of ids) {
        const { at } = packedBlob(id);
        const header = readHeader(await readBytes(file.fd, at, headerBytes));
        if (typeof header === 'object' && header.id === id && header.state === 'live') {
          const gone = headerOf({ ...header, state: 'gone' });
          await file.write(gone, 0, gone.length, at);
          reclaim.noteGone(pack, { ...header, at });
        } else others.push(id);
      }
    } finally {
      await file.close();
    }
    return others;
  }

  return {
    isOfPack: (id) => known.has(packOf(id)),
    async isFoundInPack(id) {
      const pack = packOf(id);
      if (known.has(pack)) return false;
      if ((await ifThere(stat(join(folder, pack)))) === undefined) return false;
      known.add(pack);
      return true;
    },
    append: writer.append,

    async readWhole(id) {
      const { pack, at, sizeBytes } = packedBlob(id);
      const bytes = await ifThere(files.with(pack, (file) => readBytes(file, at, headerBytes + sizeBytes)));
      if (bytes === undefined || !holds(bytes, id)) return undefined;
      if (bytes.length < headerBytes + sizeBytes)
        throw new BytesDamaged(`The pack of blob ${id} ends before ${sizeBytes} of its bytes`);
      return bytes.subarray(headerBytes);
    },

    async *read(id, range) {
      const { pack, at, sizeBytes } = packedBlob(id);
      // Held to the end: what is deleted in the meantime is still there in the old file.
      const taken = files.take(pack);
      try {
        const file = await ifThere(taken.file);
        if (file === undefined || !holds(await onDisk(readBytes(file, at, headerBytes)), id)) return false;
        const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
        for await (const chunk of chunksOf(file, at + headerBytes + start, end + 1 - start)) yield chunk;
        return true;
      } finally {
        taken.release();
      }
    },

    async delete(ids) {
      const others: string[] = [];
      const byPack = new Map<string, string[]>();
      for (const id of ids) {
        const ofPack = byPack.get(packOf(id));
        if (!known.has(packOf(id))) others.push(id);
        else if (ofPack === undefined) byPack.set(packOf(id), [id]);
        else ofPack.push(id);
      }
      for (const [pack, ofPack] of byPack)
        others.push(...((await ifThere(inTurn(pack)(() => deleteFrom(pack, ofPack)))) ?? ofPack));
      return others;
    },

    async *list() {
      for (const pack of new Set([...known, ...(await namesIn(folder))])) {
        const found = await ifThere(recordsOf(pack));
        if (found?.records.some(({ state }) => state === 'gone')) reclaim.look(pack);
        for (const { state, id, writtenMs } of found?.records ?? []) {
          const { sizeBytes } = packedBlob(id);
          if (state === 'live' && !writer.isUnfinished(id))
            yield { id, writtenSeconds: Math.floor(writtenMs / 1000), sizeBytes };
        }
      }
    },

    reclaim: reclaim.run,

    async close() {
      await reclaim.stop();
      writer.close();
      files.close();
    },
  };
}

/** Bytes of an open file, in chunks. A chunk is overwritten by the next one. */
async function* chunksOf(file: number, position: number, sizeBytes: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, sizeBytes));
  for (let at = 0; at < sizeBytes; ) {
    const chunk = buffer.subarray(0, sizeBytes - at);
    const bytes = await onDisk(readInto(chunk, file, position + at));
    if (bytes === 0) throw new BytesDamaged(`The pack ends ${sizeBytes - at} bytes before the blob does`);
    at += bytes;
    yield chunk.subarray(0, bytes);
  }
}

/** Whether the bytes of a record are those of a blob. If its header is damaged, the checksum of its row decides. */
function holds(bytes: Buffer, id: string): boolean {
  const header = readHeader(bytes);
  return header === 'damaged' || (header !== 'empty' && header.id === id && header.state === 'live');
}

/** The names of the packs in a folder; none if it is not there. */
async function namesIn(folder: string): Promise<string[]> {
  return ((await ifThere(readdir(folder))) ?? []).filter(isPackName);
}

async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return undefined;
    throw storageFailure(cause);
  }
}
