import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere, makeSubfolder, syncFolder } from '../../lib/folder.js';
import { StorageUnavailable } from '../storage-errors.js';
import { onDisk } from './errors.js';

/**
 * The subfolders of a blob store, each named by the first two digits of the ids in it. One is made when the first blob
 * comes to it: to make all 256 took a third of the time of a first start.
 */
export type Shards = Awaited<ReturnType<typeof openShards>>;

const packs = 'packs';
const isShard = (name: string) => /^[\da-f]{2}$/.test(name);

/** Opens the subfolders in a folder, which is made. `sync` makes the entries of a folder durable. */
export async function openShards(folder: string, sync: (folder: string) => Promise<void>) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = async () => (await readdir(folder)).filter((name) => isShard(name) || name === packs);
  const present = new Set(await found());
  // One that was made just before a power cut may not be durable yet.
  await syncFolder(folder);
  await syncFolder(join(folder, '..'));
  const making = new Map<string, Promise<void>>();
  const nameOf = (id: string) => id.slice(0, 2);

  /** Whether any subfolder is there that was there before. */
  async function isMounted(): Promise<boolean> {
    return present.size === 0 || (await found()).some((name) => present.has(name));
  }

  async function makeNow(name: string): Promise<void> {
    try {
      // Nothing may be written where the disk was mounted before.
      if (!(await isMounted())) throw new StorageUnavailable('The folder of the blobs is empty');
      await makeSubfolder(join(folder, name));
      await sync(folder);
      present.add(name);
    } finally {
      making.delete(name);
    }
  }

  function make(name: string): Promise<void> | undefined {
    if (present.has(name)) return undefined;
    const made = making.get(name) ?? makeNow(name);
    making.set(name, made);
    return made;
  }

  return {
    /** The subfolder of a blob. */
    of: (id: string) => join(folder, nameOf(id)),
    /**
     * Makes the subfolder of a blob, and resolves when it is durable; undefined if it is there. Rejects with the failure of
     * the disk.
     */
    make: (id: string) => make(nameOf(id)),
    /** The subfolder of blobs that share files. */
    packs: join(folder, packs),
    /** Makes it, like `make`. */
    makePacks: () => make(packs),
    /** All that there are, also those that other servers have made. */
    async all(): Promise<readonly string[]> {
      const names = new Set([...present, ...(await found())]);
      names.delete(packs);
      return Array.from(names, (name) => join(folder, name));
    },

    /** Whether a blob that cannot be found is missing alone, and not its whole store. */
    async isStoreThere(id: string): Promise<boolean> {
      const name = nameOf(id);
      if ((await onDisk(ifThere(stat(join(folder, name))))) !== undefined) return true;
      if (present.has(name)) return false;
      return await isMounted();
    },
  };
}
