import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and the folders above it, for the owner only. They are on stable storage when it resolves. It is not
 * an error if the folder exists. It goes step by step, because Node's `recursive` never ends on a file system that has
 * the parent folder but refuses a new one.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    // Making the root of a file system, which exists, fails with another error than EEXIST.
    if (cause.code !== 'ENOENT' && (await isFolder(path))) return;
    if (cause.code !== 'ENOENT' || (await isFolder(dirname(path)))) throw cause;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
  await syncFolder(dirname(path));
}

/**
 * Makes a folder in one that must be there: where a disk is not mounted, nothing is made. It is not an error if the folder
 * exists. Not `recursive`, with which Node also reports a read-only disk as ENOENT.
 */
export async function makeSubfolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((cause) => {
    // Another process may make it at this moment.
    if (!isCode(cause, 'EEXIST')) throw cause;
  });
}

/** Whether the path is a folder. */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/**
 * Puts the entries of a folder on stable storage. A folder that this user may enter but not read cannot be synced; its
 * owner is responsible for it, and it is left alone.
 */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch((cause) => {
    if (isCode(cause, 'EACCES')) return undefined;
    throw cause;
  });
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}

/**
 * Replaces a whole file: a reader, also after a power cut, sees the old file or the new one, never a part. Several
 * processes may write the same file at once.
 */
export async function replaceFile(path: string, content: string | Buffer, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  const file = await open(temporary, 'w', mode);
  try {
    // `open` applies the mode only to a file that it makes.
    await file.chmod(mode);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** What a look at a file gives; undefined if it is not there. */
export async function ifThere<T>(look: Promise<T>): Promise<T | undefined> {
  return await look.catch((cause: unknown) => {
    if (isCode(cause, 'ENOENT')) return undefined;
    throw cause;
  });
}

export function isCode(cause: unknown, code: string): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === code;
}

/** Whether two looks at the disk have found the same file, and not another one with its name. */
export function isSameFile<T extends number | bigint>(one: FileNumbers<T>, other: FileNumbers<T>): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

interface FileNumbers<T> {
  readonly ino: T;
  readonly dev: T;
}

/** Whether the operating system reported it: it has `code` and `syscall`. */
export function isSystemError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && 'syscall' in cause;
}
