import type { Stats } from 'node:fs';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { shareRuns } from '../../../lib/concurrency/share-runs.js';
import { isSameFile } from '../../../lib/folder.js';
import { StorageUnavailable } from '../../storage-errors.js';
import { storageFailure } from '../errors.js';
import { writeTogether } from '../write-together.js';
import type { PackCatalog } from './pack-catalog.js';
import { newPackName, recordBytes } from './pack-ids.js';
import { headerOf } from './record.js';

export interface PackWriterDependencies {
  readonly catalog: PackCatalog;
  readonly packBytes: number;
  /** Makes the folder for the packs of this process if it is not there. Rejects with the failure of the disk. */
  readonly makeFolder: () => Promise<void>;
  /** Makes the entries of a folder durable. */
  readonly syncFolder: (folder: string) => Promise<void>;
  /** Called for a pack in which a failed write has left something. */
  readonly onFailed: (pack: string) => void;
  readonly clock: () => number;
}

/** A pack that is being written. */
interface GrowingPack {
  readonly name: string;
  readonly path: string;
  readonly file: Promise<FileHandle>;
  /** Which file it is on its disk. */
  readonly inode: Promise<Stats>;
  /** Settles when the entry of its folder is on stable storage. */
  readonly entry: Promise<void>;
  /** Resolves when all that was written before the call is on stable storage. One sync runs at a time. */
  readonly sync: () => Promise<void>;
  endBytes: number;
  /** The blobs that are being written. */
  readonly unfinished: Set<string>;
  /** Whether a blob was kept in it. */
  isUsed: boolean;
  isFull: boolean;
  /** Whether a sync has failed. The system may report that only once, and then treat pages as written that are not. */
  isBroken: boolean;
}

/**
 * Writes blobs into packs, one pack after the other. Blobs that arrive together are synced together. Each start begins a
 * new pack: what a kill or a power cut left of an old one is never written over.
 */
export function createPackWriter(dependencies: PackWriterDependencies) {
  const { catalog, packBytes, makeFolder, syncFolder, onFailed, clock } = dependencies;
  const { ids, folder } = catalog.own;
  const growing = new Map<string, GrowingPack>();
  const closing = new Set<Promise<void>>();
  let current: GrowingPack | undefined;

  function begin(): GrowingPack {
    const name = newPackName();
    catalog.add(name);
    const path = catalog.pathOf(name);
    const file = makeFolder().then(() => open(path, 'wx', 0o600));
    const inode = file.then((handle) => handle.stat());
    const entry = file.then(() => syncFolder(folder));
    // Their failure reaches whoever awaits them. If nobody does, it must not end the process.
    for (const one of [inode, entry]) one.catch(() => {});
    const pack: GrowingPack = {
      name,
      path,
      file,
      inode,
      entry,
      sync: shareRuns(() => syncPack(pack)),
      endBytes: 0,
      unfinished: new Set<string>(),
      isUsed: false,
      isFull: false,
      isBroken: false,
    };
    growing.set(name, pack);
    return pack;
  }

  /** Nothing more is written to a pack. Its file is closed when the writes in progress have ended. */
  function end(pack: GrowingPack): void {
    pack.isFull = true;
    if (current === pack) current = undefined;
    if (pack.unfinished.size > 0) return;
    growing.delete(pack.name);
    if (!pack.isUsed) catalog.remove(pack.name);
    const closed = closePack(pack).finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function packFor(bytes: number): GrowingPack {
    if (current !== undefined && current.endBytes + bytes > packBytes) end(current);
    current ??= begin();
    return current;
  }

  /**
   * Appends a blob, and gives its id when its bytes are on stable storage. The bytes must not be used again. Rejects with
   * `StorageUnavailable`; then nothing is kept.
   */
  async function append(buffers: readonly Buffer[], sizeBytes: number): Promise<string> {
    const bytes = recordBytes(sizeBytes);
    const pack = packFor(bytes);
    const at = pack.endBytes;
    pack.endBytes += bytes;
    const id = ids.idOf({ pack: pack.name, at, sizeBytes });
    pack.unfinished.add(id);
    const record = { id, lengthBytes: bytes, writtenMs: clock() };
    try {
      await writeTogether(await pack.file, [headerOf({ ...record, state: 'live' }), ...buffers], at);
      await Promise.all([pack.sync(), pack.entry]);
      pack.isUsed = true;
      return id;
    } catch (cause) {
      end(pack);
      // A write that rejects keeps nothing. If this fails, too, it is an orphan.
      await pack.file
        .then((file) => writeTogether(file, [headerOf({ ...record, state: 'gone' })], at))
        .catch(() => {});
      onFailed(pack.name);
      throw storageFailure(cause);
    } finally {
      pack.unfinished.delete(id);
      if (pack.isFull) end(pack);
    }
  }

  return {
    append,
    /** Whether nothing is written to a pack any more. */
    isDone: (name: string) => !growing.has(name),
    /** Whether a blob is being written. For readers it does not exist yet. */
    isUnfinished(id: string): boolean {
      for (const { unfinished } of growing.values()) if (unfinished.has(id)) return true;
      return false;
    },
    /** Ends the pack that is being written. Call it when no `append` is in progress. */
    async close(): Promise<void> {
      if (current !== undefined) end(current);
      await Promise.all(closing);
    },
  };
}

/** Closes a pack to which nothing more is written, and removes it if nothing is in it. Never rejects: the bytes are synced. */
async function closePack({ file, path, isUsed }: GrowingPack): Promise<void> {
  await file.then((handle) => handle.close()).catch(() => {});
  if (!isUsed) await unlink(path).catch(() => {});
}

/**
 * Syncs a pack. Rejects if it is not in its folder any more, because a restart would not find it, and if a sync has failed
 * before, because the system may not have written what was written then.
 */
async function syncPack(pack: GrowingPack): Promise<void> {
  if (pack.isBroken) throw new StorageUnavailable('A sync of the pack has failed');
  try {
    await (await pack.file).datasync();
    const [written, found] = await Promise.all([pack.inode, stat(pack.path)]);
    if (!isSameFile(written, found)) throw new StorageUnavailable('The folder of the blobs was replaced');
  } catch (cause) {
    pack.isBroken = true;
    throw cause;
  }
}
