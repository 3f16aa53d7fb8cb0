import { realpath, stat } from 'node:fs/promises';
import { makeFolder } from '../../../lib/folder.js';

const held = new Set<string>();

/**
 * Holds a folder for this process, and gives the function that releases it. Throws what LevelDB throws,
 * with the code `LEVEL_LOCKED`, if it is held already. A folder to be created is made first; one that is missing is not held.
 *
 * LevelDB locks its file `LOCK` for other processes. When the same process opens the folder once more, LevelDB opens that
 * file and closes it before it refuses, and by that POSIX takes the lock from the process: another one could open the rows, too.
 * By another path of the same folder, LevelDB does not even refuse. So it must not try.
 */
export async function holdFolder(folder: string, create: boolean): Promise<() => void> {
  if (create) await makeFolder(folder);
  const id = await idOf(folder);
  if (id === undefined) return () => {};
  if (held.has(id)) {
    const cause = Object.assign(new Error('This process has it open'), { code: 'LEVEL_LOCKED' });
    throw new Error(`${folder} cannot be opened`, { cause });
  }
  held.add(id);
  return () => void held.delete(id);
}

async function idOf(folder: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(folder, { bigint: true });
    // With the path: a folder that was removed while it was open may leave its number to another one.
    return `${dev} ${ino} ${await realpath(folder)}`;
  } catch {
    // What is wrong with it shows when it is opened.
    return undefined;
  }
}
