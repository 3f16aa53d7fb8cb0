import { readFile, rm, writeFile } from 'node:fs/promises';
import { BasedriveError } from '../../error.js';
import { isSystemError } from '../system-error.js';

/** The locks of this process. */
const held = new Set<string>();

/**
 * Takes the lock of a folder, a file with the number of the process, and gives what releases it. Throws code `conflict` if
 * a process of this machine has it. The lock of a process that is gone is taken over: an export that was killed goes on.
 */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await writeFile(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
      break;
    } catch (cause) {
      if (!isSystemError(cause) || cause.code !== 'EEXIST') throw cause;
    }
    const owner = Number(await readFile(path, 'utf8').catch(() => ''));
    if (held.has(path) || (owner !== process.pid && isAlive(owner))) {
      throw new BasedriveError(
        'conflict',
        `Another export writes to this folder, in process ${owner}. If there is none, delete ${path}`,
      );
    }
    await rm(path, { force: true });
  }
  held.add(path);
  return async () => {
    held.delete(path);
    await rm(path, { force: true });
  };
}

function isAlive(id: number): boolean {
  if (!Number.isSafeInteger(id) || id <= 0) return false;
  try {
    return process.kill(id, 0);
  } catch (cause) {
    // It belongs to somebody else.
    return isSystemError(cause) && cause.code === 'EPERM';
  }
}
