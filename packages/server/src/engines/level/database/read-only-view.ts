import { copyFile, mkdtemp, readdir, readlink, rm, stat, statfs, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableNumber } from '../damage/inspect.js';
import { bytesToOpen } from './disk-room.js';
import { type FolderLevel, levelOf, openLevel } from './open-folder.js';

/** The rows of a folder that LevelDB cannot open, because opening writes and the disk is full. Nothing writes to it. */
export interface ReadOnlyView {
  readonly level: FolderLevel;
  close(): Promise<void>;
}

const folderPrefix = 'basedrive-rows-';
const lockFile = 'LOCK';
/** Where else there may be room: the last one is in memory. */
const otherPlaces = [tmpdir(), '/dev/shm'];

/**
 * Opens a temporary folder on another file system, with links to the tables and copies of the logs and of the list of
 * tables: LevelDB writes the rows of the logs into tables there. Its lock is that of the folder itself, so no other
 * process can open the rows in the meantime. Undefined if there is no room elsewhere either. Throws LevelDB's error.
 */
export async function openReadOnlyView(folder: string): Promise<ReadOnlyView | undefined> {
  const place = await placeFor(folder);
  if (place === undefined) return undefined;
  const seen = await sizesIn(folder);
  const view = await mkdtemp(join(place, folderPrefix));
  const remove = () => rm(view, { recursive: true, force: true });
  try {
    for (const name of seen.keys()) {
      const from = join(folder, name);
      if (name === lockFile || tableNumber(name) !== undefined) await symlink(from, join(view, name));
      else await copyFile(from, join(view, name));
    }
    const level = await levelOf(view);
    await openLevel(level);
    const close = async () => {
      await level.close();
      await remove();
    };
    if (!isEqual(seen, await sizesIn(folder))) {
      await close();
      throw new Error('Another process has changed the rows in the meantime');
    }
    await removeLeftViews(folder, view);
    return { level, close };
  } catch (cause) {
    await remove();
    throw cause;
  }
}

/** A folder with room on another file system. */
async function placeFor(folder: string): Promise<string | undefined> {
  const { dev } = await stat(folder);
  const needed = 2 * (await bytesToOpen(folder));
  for (const place of otherPlaces) {
    const other = await stat(place).catch(() => undefined);
    if (other === undefined || other.dev === dev) continue;
    const { bavail, bsize } = await statfs(place);
    if (bavail * bsize >= needed) return place;
  }
  return undefined;
}

/** The files that LevelDB needs, and their sizes. */
async function sizesIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const name of (await readdir(folder)).sort()) {
    const isNeeded = /^(CURRENT|LOCK|MANIFEST-\d+|\d+\.log)$/.test(name) || tableNumber(name) !== undefined;
    if (isNeeded) sizes.set(name, (await stat(join(folder, name))).size);
  }
  return sizes;
}

function isEqual(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
  return before.size === after.size && [...before].every(([name, size]) => after.get(name) === size);
}

/** Removes views of these rows that a kill has left, all but one. Call it while this process has LevelDB's lock. */
export async function removeLeftViews(folder: string, kept?: string): Promise<void> {
  for (const place of otherPlaces) {
    const names = await readdir(place).catch(() => []);
    for (const name of names.filter((entry) => entry.startsWith(folderPrefix))) {
      const view = join(place, name);
      const lock = await readlink(join(view, lockFile)).catch(() => undefined);
      const isLeft = view !== kept && lock === join(folder, lockFile);
      if (isLeft) await rm(view, { recursive: true, force: true }).catch(() => {});
    }
  }
}
