import { open } from 'node:fs/promises';
import { invalid } from './error.js';
import type { OpenPath } from './source.js';

/** Node: reads a file piece by piece. Throws code `invalid` if the path cannot be opened or is a folder. */
export const openPath: OpenPath = async (path) => {
  const file = await open(path).catch((cause: Error) => {
    throw invalid(`The file cannot be read: ${cause.message}`);
  });
  const stats = await file.stat();
  if (stats.isDirectory()) {
    await file.close();
    throw invalid(`The path is a folder, not a file: ${path}`);
  }
  return {
    // A pipe or a device has no size of its own.
    size: stats.isFile() ? stats.size : undefined,
    async read(bytes) {
      const piece = new Uint8Array(bytes);
      let filled = 0;
      while (filled < bytes) {
        const { bytesRead } = await file.read(piece, filled, bytes - filled, null);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled === 0 ? undefined : piece.subarray(0, filled);
    },
    close: () => file.close(),
  };
};
