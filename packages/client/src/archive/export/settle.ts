import { opendir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mapInOrder } from '../map-in-order.js';
import { isSystemError } from '../system-error.js';
import { syncFile, syncFolder } from './stable-storage.js';

/** What becomes of a file: it is of the export, an earlier run left it, or it is somebody else's. */
export type Fate = 'keep' | 'remove' | 'leave';

const filesAtOnce = 8;

/**
 * Puts the files that are kept, and the folders that hold them, on stable storage. Removes the files that are to be
 * removed, and folders that are empty then. `path` is relative to `root`; there may be nothing at it.
 */
export async function settle(root: string, path: string, fateOf: (path: string) => Fate): Promise<void> {
  const folder = await opendir(join(root, path)).catch((cause) => {
    if (isSystemError(cause) && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return undefined;
    throw cause;
  });
  if (folder === undefined) return;
  const folders: string[] = [];
  async function* files(): AsyncGenerator<string> {
    for await (const entry of folder ?? []) {
      const below = `${path}/${entry.name}`;
      if (entry.isDirectory()) folders.push(below);
      else yield below;
    }
  }
  const settled = mapInOrder(files(), filesAtOnce, async (file) => {
    const fate = fateOf(file);
    if (fate === 'keep') await syncFile(join(root, file));
    if (fate === 'remove') await rm(join(root, file), { force: true });
  });
  for await (const _ of settled);
  for (const below of folders) await settle(root, below, fateOf);
  const isGone = await rmdir(join(root, path)).then(
    () => true,
    () => false,
  );
  if (!isGone) await syncFolder(join(root, path));
}
