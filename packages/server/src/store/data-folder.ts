import { lstat, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ifThere, isCode, isSystemError, makeFolder, replaceFile, syncFolder } from '../lib/folder.js';
import { OperatorError } from '../operator-error.js';

/**
 * The number in the file `FORMAT`. It increases if an older server would misread what a newer one writes: from 3 on, rows
 * have checksums; from 4 on, drives have counters, and indexes may be unique, which earlier versions would not keep in step;
 * from 5 on, blobs may lie in packs, where earlier versions would not find them. Backups name it, too. If older servers would
 * misread the rows, raise the version of the tables as well (`engines/postgres/schema.ts`).
 */
export const folderFormat = 5;
/** The oldest one that is still read. */
const oldestFormat = 2;
const formatFile = 'FORMAT';
/** Holds the identity of the rows in the folder, so that a start without them is noticed. */
const identityFile = 'IDENTITY';
/** Is in a folder that a copy or a restore has made, until its rows say so: no server may start on it. */
const begunFile = 'BEGUN';

/** The permission bits of the group and of others. */
const othersMode = 0o077;

export interface DataFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly rows: string;
  readonly blobs: string;
  readonly tls: string;
}

/** What a data folder may hold. Rows and blobs may be stored elsewhere. */
export type FolderPart = 'rows' | 'blobs' | 'tls';

export interface DataFolderOptions {
  /** Parts to create if they are missing. */
  readonly parts: readonly FolderPart[];
  /**
   * What to do when the folder is not a data folder yet: make it one, make it the destination of a copy only if it is
   * missing or empty, or refuse. A command that is given a mistyped path must not make a store there.
   */
  readonly create: 'always' | 'if empty' | 'never';
}

/** The error when another process has the data folder: a server, or a command that works without one. */
export class DataFolderInUse extends OperatorError {
  constructor(path: string, cause: unknown) {
    super(`The data folder ${path} is in use by another process: stop it, or give another folder`, { cause });
  }
}

/** The error when root is to open the store of another user. */
export class StoreOfAnotherUser extends OperatorError {
  constructor(path: string, uid: number) {
    super(
      `The data folder ${path} belongs to the user ${uid}, who could not read what root writes there: ` +
        'run this as that user (or as root, while a server of that user runs)',
    );
  }
}

/** The error when a store is a copy, or a backup that was restored, and is not complete. */
export class IncompleteCopy extends OperatorError {
  constructor() {
    super(
      'These rows are a copy that did not complete: run basedrive copy again; after a restore, delete them and restore again',
    );
  }
}

/** The error when a folder holds no store, and none is to be made. */
export class NoStore extends OperatorError {
  constructor(path: string) {
    super(`There is no Basedrive store in ${path}: correct the folder, or start a server on it first`);
  }
}

/**
 * Opens a data folder and checks its format. Only the owner can access what it creates, which is on stable storage when
 * it resolves. Throws `OperatorError`.
 */
export async function openDataFolder(folder: string, options: DataFolderOptions): Promise<DataFolder> {
  const asked = resolve(folder);
  const mayCreate = options.create !== 'never';
  try {
    if (mayCreate) await makeFolder(asked);
    const path = await realpath(asked).catch((cause) => {
      throw isCode(cause, 'ENOENT') ? new NoStore(asked) : cause;
    });
    await checkFormat(path, options);
    if (options.create !== 'if empty' && (await hasBegun(path))) throw new IncompleteCopy();
    const parts = { rows: join(path, 'rows'), blobs: join(path, 'blobs'), tls: join(path, 'tls') };
    if (mayCreate) for (const part of options.parts) await makeFolder(parts[part]);
    return { path, ...parts };
  } catch (cause) {
    if (cause instanceof OperatorError || !isSystemError(cause)) throw cause;
    const where = cause.path === undefined || cause.path === asked ? '' : `${cause.path}: `;
    const why = (await isLink(cause)) ? 'it is a link to what is not there: mount its disk' : reason(cause);
    throw new OperatorError(`The data folder ${asked} cannot be used: ${where}${why}`, { cause });
  }
}

/** From now on only versions that know this format can open the folder. Call it before rows are written. */
export async function raiseFormat({ path }: DataFolder): Promise<void> {
  const file = join(path, formatFile);
  if ((await ifThere(readFile(file, 'utf8')))?.trim() !== String(folderFormat)) await writeFormat(path);
}

/** The rows of a destination say that they are a copy: from now on they refuse a server. */
export async function endBeginning({ path }: DataFolder): Promise<void> {
  if (!(await hasBegun(path))) return;
  await rm(join(path, begunFile));
  await syncFolder(path);
}

async function hasBegun(path: string): Promise<boolean> {
  return (await ifThere(readFile(join(path, begunFile), 'utf8'))) !== undefined;
}

async function writeFormat(path: string): Promise<void> {
  await replaceFile(join(path, formatFile), `${folderFormat}\n`, 0o600);
}

/** The identity of the rows that were last opened in this folder; undefined when none were. */
export async function readIdentity(folder: DataFolder): Promise<string | undefined> {
  return (await ifThere(readFile(join(folder.path, identityFile), 'utf8')))?.trim();
}

/** Writes the identity of the rows in this folder. */
export async function writeIdentity(folder: DataFolder, identity: string): Promise<void> {
  if ((await readIdentity(folder)) === identity) return;
  await replaceFile(join(folder.path, identityFile), `${identity}\n`, 0o600);
}

/** Warnings about an open folder, a sentence each. */
export async function folderWarnings({ path }: DataFolder): Promise<readonly string[]> {
  // Windows has no such permissions.
  if (process.platform === 'win32') return [];
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & othersMode) === 0) return [];
  const shown = mode.toString(8).padStart(4, '0');
  return [`other users of this machine have access to the data folder ${path} (mode ${shown}): chmod 700 it`];
}

/**
 * Refuses that root opens the store of another user, who could then not read what root has written there: the server
 * would not start again. Root may open what root has opened before, and an empty folder, whoever owns the folder
 * itself: so a container runs as root on a volume of another user. Throws `StoreOfAnotherUser`.
 */
export async function refuseStoreOfAnotherUser({ path, rows }: DataFolder): Promise<void> {
  if (process.getuid?.() !== 0) return;
  // LevelDB replaces `CURRENT` whenever it is opened. A folder without rows has bytes or a certificate.
  const uid = (await ownerOf(join(rows, 'CURRENT'))) ?? (await ownerOf(join(path, formatFile))) ?? 0;
  if (uid !== 0) throw new StoreOfAnotherUser(path, uid);
}

async function ownerOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.uid;
}

async function checkFormat(path: string, { create }: DataFolderOptions): Promise<void> {
  let text = await ifThere(readFile(join(path, formatFile), 'utf8'));
  if (text === undefined) {
    const names = await readdir(path);
    // The format is written before anything else; another process may have begun between the two reads.
    text = await ifThere(readFile(join(path, formatFile), 'utf8'));
    if (text === undefined) {
      refuseForeignFolder(path, names, create);
      // The folder is synced with the format.
      if (create === 'if empty') await writeFile(join(path, begunFile), '', { mode: 0o600 });
      await writeFormat(path);
      return;
    }
  }
  const found = /^\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
  if (found !== undefined && found >= oldestFormat && found <= folderFormat) return;
  if (found === undefined) {
    throw new OperatorError(
      `The file ${join(path, formatFile)} does not hold the number of a format: restore the folder from a backup, complete`,
    );
  }
  throw new OperatorError(
    found > folderFormat
      ? `The data folder ${path} has format ${found}, newer than this version reads (${folderFormat}): use a newer version`
      : `The data folder ${path} has format ${found}, which this version no longer reads (it reads ${oldestFormat} to ${folderFormat})`,
  );
}

function refuseForeignFolder(
  path: string,
  names: readonly string[],
  create: DataFolderOptions['create'],
): void {
  if (names.includes('rows') || names.includes('blobs')) {
    throw new OperatorError(
      `The data folder ${path} has rows or blobs but no file ${formatFile}, so its format is unknown: restore it from a backup, complete`,
    );
  }
  if (create === 'never') throw new NoStore(path);
  // An interrupted copy leaves the file. The root folder of a file system has `lost+found`.
  const isEmpty = names.includes(begunFile) || names.every((name) => name === 'lost+found');
  if (create === 'if empty' && !isEmpty) {
    throw new OperatorError(`The folder ${path} is not empty and holds no Basedrive store`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'it, or a part of its path, is not a folder',
  EEXIST: 'it is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
};

/** Whether a folder could not be made because a link is there already. */
async function isLink({ code, path }: NodeJS.ErrnoException): Promise<boolean> {
  if (code !== 'EEXIST' || path === undefined) return false;
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

function reason(cause: NodeJS.ErrnoException): string {
  return reasons[cause.code ?? ''] ?? cause.message;
}
