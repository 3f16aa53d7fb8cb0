import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageUnavailable } from '../../storage-errors.js';
import { storageFailure } from '../errors.js';
import { createSharedSync } from '../shared-sync.js';
import { writeTogether } from '../write-together.js';
import { newPackName, packedId, recordBytes } from './packed-id.js';
import { headerOf } from './record.js';

export interface PackWriter {
  /**
   * Appends a blob, and gives its id when its bytes are on stable storage. The bytes must not be used again. Rejects with
   * `StorageUnavailable`; then nothing is kept.
   */
  append(buffers: readonly Buffer[], sizeBytes: number): Promise<string>;
  /** Whether nothing is written to a pack any more. */
  isDone(pack: string): boolean;
  /** Whether a blob is being written. For readers it does not exist yet. */
  isUnfinished(id: string): boolean;
  /** Ends the pack that is being written. Call it when no `append` is in progress. */
  close(): void;
}

export interface PackWriterDependencies {
  readonly folder: string;
  readonly packBytes: number;
  /** Makes the folder of the packs if it is not there. Rejects with the failure of the disk. */
  readonly makeFolder: () => Promise<void> | undefined;
  /** Makes the entries of the folder durable. */
  readonly syncFolder: (folder: string) => Promise<void>;
  /** The names of the packs: that of a new one is added before anything is written to it. */
  readonly names: Set<string>;
  readonly clock: () => number;
}

/** A pack that is being written. */
interface GrowingPack {
  readonly name: string;
  readonly path: string;
  readonly file: Promise<FileHandle>;
  /** Which file it is on its disk. */
  readonly inode: Promise<{ readonly ino: number; readonly dev: number }>;
  /** Settles when the entry of its folder is on stable storage. */
  readonly entry: Promise<void>;
  endBytes: number;
  /** The blobs that are being written. */
  readonly unfinished: Set<string>;
  /** Whether a blob was kept in it. */
  isUsed: boolean;
  isFull: boolean;
}

/**
 * Writes blobs into packs, one pack after the other. Blobs that arrive together are synced together. Each start begins a
 * new pack: what a kill or a power cut left of an old one is never written over.
 */
export function createPackWriter(dependencies: PackWriterDependencies): PackWriter {
  const { folder, packBytes, makeFolder, syncFolder, names, clock } = dependencies;
  const growing = new Map<string, GrowingPack>();
  let current: GrowingPack | undefined;
  const sync = createSharedSync(async (name) => {
    const pack = growing.get(name);
    if (pack !== undefined) await syncPack(pack);
  });

  function begin(): GrowingPack {
    const name = newPackName();
    const path = join(folder, name);
    const made = makeFolder();
    const file = (made ?? Promise.resolve()).then(() => open(path, 'wx', 0o600));
    const inode = file.then((handle) => handle.stat());
    const entry = file.then(() => syncFolder(folder));
    // Whoever waits for them throws their failure.
    for (const one of [inode, entry]) one.catch(() => {});
    const pack = {
      name,
      path,
      file,
      inode,
      entry,
      endBytes: 0,
      unfinished: new Set<string>(),
      isUsed: false,
      isFull: false,
    };
    growing.set(name, pack);
    names.add(name);
    return pack;
  }

  /** Nothing more is written to a pack. Its file is closed when the writes in progress have ended. */
  function end(pack: GrowingPack): void {
    pack.isFull = true;
    if (current === pack) current = undefined;
    if (pack.unfinished.size > 0) return;
    growing.delete(pack.name);
    // Its bytes are synced, so nobody needs to wait for this and a failure does no harm.
    pack.file.then((file) => file.close()).catch(() => {});
    if (pack.isUsed) return;
    names.delete(pack.name);
    pack.file.then(() => unlink(pack.path)).catch(() => {});
  }

  function packFor(bytes: number): GrowingPack {
    if (current !== undefined && current.endBytes + bytes > packBytes) end(current);
    current ??= begin();
    return current;
  }

  async function append(buffers: readonly Buffer[], sizeBytes: number): Promise<string> {
    const bytes = recordBytes(sizeBytes);
    const pack = packFor(bytes);
    const at = pack.endBytes;
    pack.endBytes += bytes;
    const id = packedId({ pack: pack.name, at, sizeBytes });
    pack.unfinished.add(id);
    const record = { id, lengthBytes: bytes, writtenMs: clock() };
    try {
      await writeTogether(await pack.file, [headerOf({ ...record, state: 'live' }), ...buffers], at);
      await Promise.all([sync(pack.name), pack.entry]);
      pack.isUsed = true;
      return id;
    } catch (cause) {
      end(pack);
      // A write that rejects keeps nothing. If this fails, too, it is an orphan.
      await pack.file
        .then((file) => file.write(headerOf({ ...record, state: 'gone' }), 0, null, at))
        .catch(() => {});
      throw storageFailure(cause);
    } finally {
      pack.unfinished.delete(id);
      if (pack.isFull) end(pack);
    }
  }

  return {
    append,
    isDone: (name) => !growing.has(name),
    isUnfinished(id) {
      for (const { unfinished } of growing.values()) if (unfinished.has(id)) return true;
      return false;
    },
    close() {
      if (current !== undefined) end(current);
    },
  };
}

/** Syncs a pack. Rejects if it is not in its folder any more: then a restart would not find it. */
async function syncPack({ file, inode, path }: GrowingPack): Promise<void> {
  await (await file).datasync();
  const [written, found] = await Promise.all([inode, stat(path)]);
  if (written.ino !== found.ino || written.dev !== found.dev)
    throw new StorageUnavailable('The folder of the blobs was replaced');
}
