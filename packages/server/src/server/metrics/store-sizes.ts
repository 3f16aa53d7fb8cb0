import { statfs } from 'node:fs/promises';
import type { ItemStore } from '../../engines/item-store.js';
import type { Closers } from '../../lib/concurrency/closers.js';
import { repeat } from '../../lib/concurrency/repeat.js';

/** The sizes of a store; undefined where there is no such thing, and while it is not known. */
export interface StoreSizes {
  readonly rowsBytes?: number | undefined;
  readonly diskBytes?: number | undefined;
  readonly diskFreeBytes?: number | undefined;
}

const everyMs = 30_000;

/**
 * Reads the sizes now, and again and again in the background, so that a disk that hangs does not hang a scrape. Resolves
 * to the function that gives what was read last. `folder`: the data folder, if there is one.
 */
export async function watchSizes(items: ItemStore, folder: string | undefined, closers: Closers) {
  let sizes: StoreSizes = {};

  async function read(): Promise<void> {
    try {
      const disk = folder === undefined ? undefined : await statfs(folder);
      sizes = {
        rowsBytes: await items.storedBytes?.(),
        diskBytes: disk && disk.blocks * disk.bsize,
        diskFreeBytes: disk && disk.bavail * disk.bsize,
      };
    } catch {
      // The requests that need the disk log why it fails. A size that is not known is left out.
      sizes = {};
    }
  }

  await read();
  const stop = repeat(read, () => everyMs);
  // A disk that hangs does not hang the end either.
  closers.push(async () => void stop());
  return () => sizes;
}
