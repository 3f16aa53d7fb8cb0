import { mkdir, open, readdir, readFile, realpath, rename, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ItemStore } from '../engines/item-store.js';
import { OperatorError } from '../operator-error.js';

/** The number in the file `FORMAT`: raised when an older server would misread what a newer one wrote. */
const format = 2;
const formatFile = 'FORMAT';

export interface DataFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly rows: string;
  readonly blobs: string;
  readonly tls: string;
}

/** What a data folder may hold. Rows and bytes may lie elsewhere. */
export type FolderPart = 'rows' | 'blobs' | 'tls';

/**
 * The data folder, made when it is not there (for its owner only), with those of its parts that are needed, its
 * format checked. What it makes is on stable storage when it resolves. Throws `OperatorError`.
 */
export async function openDataFolder(
  folder: string,
  needed: readonly FolderPart[] = ['rows', 'blobs', 'tls'],
): Promise<DataFolder> {
  const asked = resolve(folder);
  try {
    await makeFolder(asked);
    const path = await realpath(asked);
    await checkFormat(path);
    const parts = { rows: join(path, 'rows'), blobs: join(path, 'blobs'), tls: join(path, 'tls') };
    for (const part of needed) await makeFolder(parts[part]);
    return { path, ...parts };
  } catch (cause) {
    if (cause instanceof OperatorError || !isSystemError(cause)) throw cause;
    throw new OperatorError(`The data folder ${asked} cannot be used: ${reason(cause)}`, { cause });
  }
}

/**
 * Opens the rows, which takes the folder for this process: LevelDB locks it. Throws `DataFolderInUse`
 * when another process has it, `OperatorError` when it cannot be opened.
 */
export async function openRows(
  folder: DataFolder,
  openStore: (location: { folder: string }) => Promise<ItemStore>,
): Promise<ItemStore> {
  try {
    return await openStore({ folder: folder.rows });
  } catch (cause) {
    const { code, message } = innermost(cause);
    if (code === 'LEVEL_LOCKED') throw new DataFolderInUse(folder.path, cause);
    if (code?.startsWith('LEVEL_') !== true) throw cause;
    const line = message.replaceAll('\n', ' ');
    throw new OperatorError(`The rows in ${folder.rows} cannot be opened: ${line}`, { cause });
  }
}

/** A server, or a command that runs without one, has the folder. */
export class DataFolderInUse extends OperatorError {
  constructor(path: string, cause: unknown) {
    super(`The data folder ${path} is in use by another process`, { cause });
  }
}

/**
 * With the folders above it, for the owner only. Step by step: Node's `recursive` tries without end where a
 * file system has the parent but takes no folder.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    // A root cannot be made, even where it is there.
    if (cause.code !== 'ENOENT' && (await isFolder(path))) return;
    if (cause.code !== 'ENOENT' || (await isFolder(dirname(path)))) throw cause;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
  await syncFolder(dirname(path));
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

async function checkFormat(path: string): Promise<void> {
  let text = await readFormat(path);
  if (text === undefined) {
    const names = await readdir(path);
    // The format is written before anything else; another process may have begun between the two looks.
    text = await readFormat(path);
    if (text === undefined && (names.includes('rows') || names.includes('blobs'))) {
      throw new OperatorError(
        `The data folder ${path} has rows or blobs but no file ${formatFile}: it is not known how to read it`,
      );
    }
  }
  if (text === undefined) {
    await writeFormat(path);
    return;
  }
  const found = /^\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
  if (found === format) return;
  if (found === undefined) {
    throw new OperatorError(`The file ${join(path, formatFile)} does not hold the number of a format`);
  }
  throw new OperatorError(
    found > format
      ? `The data folder ${path} has format ${found}, newer than this version reads (${format}): use a newer one`
      : `The data folder ${path} has format ${found}, which this version no longer reads (it reads ${format})`,
  );
}

async function readFormat(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(path, formatFile), 'utf8');
  } catch (cause) {
    if (isSystemError(cause) && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}

async function writeFormat(path: string): Promise<void> {
  // Commands that start at the same moment each write one of their own, and all write the same.
  const temporary = join(path, `${formatFile}.${process.pid}`);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${format}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(path, formatFile));
  await syncFolder(path);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch((cause) => {
    // A folder that may be passed but not read cannot be opened for a sync; its owner vouches for it.
    if (isSystemError(cause) && cause.code === 'EACCES') return undefined;
    throw cause;
  });
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}

function isSystemError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && 'syscall' in cause;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'it, or a part of its path, is not a folder',
  EEXIST: 'it is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
};

function reason(cause: NodeJS.ErrnoException): string {
  return reasons[cause.code ?? ''] ?? cause.message;
}

/** abstract-level wraps what LevelDB said. */
function innermost(cause: unknown): { code?: string; message: string } {
  let error = cause;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  return error instanceof Error ? (error as Error & { code?: string }) : { message: String(cause) };
}
