import { lstat, open } from 'node:fs/promises';
import { isSystemError } from '../system-error.js';

/** Whether there is anything at a path, a broken link included. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Puts the bytes of a file on stable storage. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A system or a file system that cannot sync folders answers so. A folder that may not be read is its owner's task. */
const cannotSync = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** Puts the names in a folder on stable storage, where the file system can. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (cause) {
    if (!isSystemError(cause) || !cannotSync.has(cause.code ?? '')) throw cause;
  }
}
