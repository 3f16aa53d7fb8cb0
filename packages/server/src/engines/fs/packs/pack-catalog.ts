import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../../../lib/folder.js';
import { isRandomId } from '../../../lib/random-id.js';
import { storageFailure } from '../errors.js';
import {
  createPackIds,
  isPackKey,
  isPackName,
  newPackKey,
  type PackedBlob,
  type PackIds,
} from './pack-ids.js';

/**
 * Which packs there are: `{folder}/{key}/{name}`. The ids of their blobs are encrypted with the key. A folder has one key,
 * unless somebody has put packs of several stores into it: all of them can be read.
 */
export type PackCatalog = Awaited<ReturnType<typeof openPackCatalog>>;

/** Reads the names in a folder, which need not be there. Rejects with `StorageUnavailable`. */
export async function openPackCatalog(folder: string) {
  const idsOfKeys = new Map<string, PackIds>();
  /** The key of each pack. */
  const keys = new Map<string, string>();

  async function look(): Promise<void> {
    for (const key of (await namesIn(folder)).filter(isPackKey)) {
      if (!idsOfKeys.has(key)) idsOfKeys.set(key, createPackIds(key));
      for (const pack of (await namesIn(join(folder, key))).filter(isPackName)) keys.set(pack, key);
    }
  }

  /** The names in a folder; none if it is not there, unless packs of it are known. */
  async function namesIn(path: string): Promise<string[]> {
    try {
      return await readdir(path);
    } catch (cause) {
      if (isCode(cause, 'ENOENT') && keys.size === 0) return [];
      throw storageFailure(cause);
    }
  }

  /** Where a blob lies; undefined if its id is not that of a blob in a known pack. */
  function find(id: string): PackedBlob | undefined {
    if (!isRandomId(id)) return undefined;
    for (const [key, ids] of idsOfKeys) {
      const blob = ids.blobOf(id);
      if (keys.get(blob.pack) === key) return blob;
    }
    return undefined;
  }

  await look();
  const [ownKey = newPackKey()] = idsOfKeys.keys();
  const ids = idsOfKeys.get(ownKey) ?? createPackIds(ownKey);
  idsOfKeys.set(ownKey, ids);
  return {
    find,
    /**
     * The same, after reading again which packs there are: another process may have made the pack. Rejects with
     * `StorageUnavailable`.
     */
    async findAnew(id: string): Promise<PackedBlob | undefined> {
      await look();
      return find(id);
    },
    /**
     * Reads again which packs there are, also those that other processes have made, and gives their names. Rejects with
     * `StorageUnavailable`.
     */
    async all(): Promise<readonly string[]> {
      await look();
      return [...keys.keys()];
    },
    /** For the packs that this process makes: the ids of their blobs, and their folder, which need not be there. */
    own: { ids, folder: join(folder, ownKey) },
    /** Adds a pack to the folder of `own`. */
    add: (pack: string) => void keys.set(pack, ownKey),
    remove: (pack: string) => void keys.delete(pack),
    pathOf: (pack: string) => join(folder, keys.get(pack) ?? ownKey, pack),
    /** Where the record of a blob begins in a pack, and how long it is; undefined if the id is not one of this pack. */
    blobIn(pack: string, id: string): PackedBlob | undefined {
      const blob = isRandomId(id) ? idsOfKeys.get(keys.get(pack) ?? ownKey)?.blobOf(id) : undefined;
      return blob?.pack === pack ? blob : undefined;
    },
  };
}
