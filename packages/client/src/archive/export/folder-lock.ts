import { constants, copyFile, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { BasedriveError } from '../../http/error.js';
import { randomText } from '../../lib/random-text.js';
import { isSystemError } from '../system-error.js';
import { isAlive } from './process-alive.js';

/** The paths of the locks that this process has, or is about to take. */
const held = new Set<string>();
/** Characters that make the name of a file unlike all others. */
const uniqueLength = 8;

/**
 * Takes the lock of a folder, a file with the number of the process, and gives what releases it. Throws code `conflict` if
 * a process of this machine has it. The lock of a process that is gone is taken over: an export that was killed goes on.
 */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  if (held.has(path)) throw await conflict(path);
  held.add(path);
  try {
    await take(path);
  } catch (cause) {
    held.delete(path);
    throw cause;
  }
  return async () => {
    await rm(path, { force: true });
    held.delete(path);
  };
}

async function take(path: string): Promise<void> {
  // A lock has its text from the beginning: an empty one is what a power cut has left.
  const own = `${path}.${randomText(uniqueLength)}`;
  await writeFile(own, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
  try {
    if (!(await isMade(() => giveName(own, path)))) await takeOver(own, path);
  } finally {
    await rm(own, { force: true });
  }
}

/** Gives a file a name that nothing has. */
async function giveName(own: string, name: string): Promise<void> {
  await link(own, name).catch(async (cause) => {
    // Not every file system has hard links.
    if (isTaken(cause)) throw cause;
    await copyFile(own, name, constants.COPYFILE_EXCL);
  });
}

/**
 * Replaces the lock of a process that is gone. One process at a time does so, and none between the look and the
 * replacement: so the lock that is replaced is the one that was looked at.
 */
async function takeOver(own: string, path: string): Promise<void> {
  const turn = `${path}.takeover`;
  if (!(await isMade(() => giveName(own, turn)))) throw await conflict(turn);
  try {
    const owner = await ownerOf(path);
    // A process before this one may have had its number.
    if (owner !== process.pid && isAlive(owner)) throw await conflict(path);
    if (owner !== undefined) await rename(own, path);
    // It was released in the meantime, and whoever comes first gets it.
    else if (!(await isMade(() => giveName(own, path)))) throw await conflict(path);
  } finally {
    await rm(turn, { force: true });
  }
}

/** Whether `make` succeeds; false if there is something of the name already. */
async function isMade(make: () => Promise<void>): Promise<boolean> {
  try {
    await make();
    return true;
  } catch (cause) {
    if (isTaken(cause)) return false;
    throw cause;
  }
}

async function conflict(path: string): Promise<BasedriveError> {
  const owner = (await ownerOf(path)) ?? 0;
  return new BasedriveError(
    'conflict',
    `Another export writes to this folder, in process ${owner}. If there is none, delete ${path}`,
  );
}

/** The number in a lock: no process has it if the lock is empty or damaged. Undefined if there is no lock. */
async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return Number(await readFile(path, 'utf8'));
  } catch (cause) {
    if (isSystemError(cause) && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}

function isTaken(cause: unknown): boolean {
  return isSystemError(cause) && cause.code === 'EEXIST';
}
