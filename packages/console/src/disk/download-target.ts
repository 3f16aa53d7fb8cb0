import { PageError } from '../api/errors.js';
import { formatBytes } from '../ui/format.js';
import { hasPrivateFiles, openPrivateFile, type PrivateFile } from './private-file.js';
import type { SaveTarget } from './write-all.js';

/** Files up to this size do not pass through the disk of the page. */
const maxBlobBytes = 64 * 1024 * 1024;
/** The most without such a disk: some browsers hold blobs in memory. */
const maxBlobBytesAlone = 2 * 1024 ** 3;

/** The most bytes that a page can keep until it gives them to the browser. */
export async function maxKeptBytes(): Promise<number> {
  return (await hasPrivateFiles()) ? Number.POSITIVE_INFINITY : maxBlobBytesAlone;
}

/**
 * A file that the browser saves among its downloads once it is complete. Until then its bytes are in blobs, which belong
 * to the browser and not to the page, and from 64 MB in a file of the page's own disk, where the browser gives one: over
 * HTTPS and on this machine.
 */
export function downloadTarget(label: string): SaveTarget {
  let blobs: Blob[] = [];
  let size = 0;
  let disk: PrivateFile | undefined;
  let isAsked = false;

  async function keepAsBlob(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (size > maxBlobBytesAlone) throw tooLarge();
    const blob = new Blob([bytes]);
    // The browser has the bytes once it gives one of them back; if it has no room, it does not.
    await blob.slice(0, 1).arrayBuffer();
    blobs.push(blob);
  }

  return {
    open: async () => {},
    async write(bytes) {
      size += bytes.byteLength;
      if (size > maxBlobBytes && !isAsked) {
        isAsked = true;
        disk = await openPrivateFile();
        for (const blob of disk === undefined ? [] : blobs) await disk?.write(blob);
        if (disk !== undefined) blobs = [];
      }
      if (disk === undefined) await keepAsBlob(bytes);
      else await disk.write(bytes);
    },
    async close() {
      giveToBrowser(disk === undefined ? blobs : [await disk.finish()], label);
      blobs = [];
    },
    async drop() {
      blobs = [];
      await disk?.drop();
    },
  };
}

function giveToBrowser(parts: Blob[], label: string): void {
  // As bytes without a type: the browser saves it, and never shows it as a page of this origin.
  const url = URL.createObjectURL(new Blob(parts, { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = label;
  link.click();
  // The browser has taken the bytes when the next task runs.
  setTimeout(() => URL.revokeObjectURL(url));
}

function tooLarge(): PageError {
  return new PageError(
    `Without HTTPS, this browser can save at most ${formatBytes(maxBlobBytesAlone)} from a page. Make links with Share instead.`,
  );
}
