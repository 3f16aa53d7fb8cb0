import { statfs } from 'node:fs/promises';
import type { ItemStore } from '../../engines/item-store.js';

/** The sizes of a store; undefined where there is no such thing, and while it is not known. */
export interface StoreSizes {
  readonly rowsBytes?: number | undefined;
  readonly diskBytes?: number | undefined;
  readonly diskFreeBytes?: number | undefined;
}

const everyMs = 30_000;

/** Reads the sizes again and again in the background, so that a disk that hangs does not hang a scrape. */
export interface SizeWatch {
  /** What was read last. */
  readonly sizes: () => StoreSizes;
  /** The first reading. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** `folder`: the data folder, if there is one. */
export function watchSizes(items: ItemStore, folder: string | undefined): SizeWatch {
  let sizes: StoreSizes = {};
  let isReading = false;

  async function read(): Promise<void> {
    if (isReading) return;
    isReading = true;
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
    } finally {
      isReading = false;
    }
  }

  const timer = setInterval(() => void read(), everyMs).unref();
  return { sizes: () => sizes, ready: read(), stop: () => clearInterval(timer) };
}
