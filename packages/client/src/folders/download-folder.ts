import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Drive } from '../drive/drive.js';
import type { DriveFile } from '../drive/drive-file.js';
import { BasedriveError, invalid } from '../http/error.js';
import type { FileDetails } from '../http-types.js';
import { FileProblem, type FolderOptions, type FolderResult, partialName, transferAll } from './folder.js';

/** How often a download is continued that brings nothing new. */
const maxFailures = 5;
const firstPauseMs = 250;
/** What Windows does not take as the name of a file. */
const unsafeOnWindows = /[<>:"\\|?*]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Downloads the files of a drive into a folder: the file `a/b.txt` is at `a/b.txt` in it. It can be run again, after an
 * interruption or to bring the folder up to date: a file of the same size and time is kept, a file that had arrived in
 * part is continued, and no other file of the folder is touched. Each file appears when it is complete, and has the
 * time of the file in the drive.
 *
 * A name that cannot be a path here, such as `../a` or `a//b`, is in `failed`, and so is a file `a` if there is `a/b`.
 * @param folder is made if it does not exist
 * @throws a `BasedriveError`, or the error of the file system, that is not about a single file
 * @example const { files, failed } = await downloadFolder(Drive('photos'), './photos', { prefix: '2024/' });
 */
export async function downloadFolder(
  drive: Pick<Drive, 'files' | 'get'>,
  folder: string,
  options: FolderOptions = {},
): Promise<FolderResult> {
  const { prefix = '', signal } = options;
  if (typeof folder !== 'string') throw invalid('Folder must be a path');
  const root = resolve(folder);
  await mkdir(root, { recursive: true });
  const isFoldingCase = process.platform === 'win32' || process.platform === 'darwin';
  const taken = new Set<string>();
  const findParts = createPartFinder();

  async function* works() {
    for await (const details of drive.files({ prefix, signal })) {
      const path = details.name.slice(prefix.length);
      const folded = isFoldingCase ? path.normalize('NFKC').toLowerCase() : path;
      const problem = taken.has(folded) ? 'differs from another name only in case' : pathProblem(path);
      if (isFoldingCase) taken.add(folded);
      yield [
        details.name,
        async (counted: (bytes: number) => void, ends: AbortSignal) => {
          if (problem !== undefined) throw new FileProblem(`The name ${problem}`);
          return await download(drive, details, {
            target: join(root, path),
            counted,
            signal: ends,
            findParts,
          });
        },
      ] as const;
    }
  }
  return await transferAll(works(), options);
}

/** Why a path below the folder cannot be a file there, or undefined. */
function pathProblem(path: string): string | undefined {
  const segments = path.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    return 'has an empty part, or one that leads to another folder';
  if (path.includes('\0')) return 'has a character that no path can have';
  if (process.platform === 'win32' && segments.some((segment) => unsafeOnWindows.test(segment)))
    return 'cannot be a path on Windows';
  return undefined;
}

interface Download {
  readonly target: string;
  readonly counted: (bytes: number) => void;
  readonly signal: AbortSignal;
  readonly findParts: PartFinder;
}

async function download(
  drive: Pick<Drive, 'get'>,
  listed: FileDetails,
  { target, counted, signal, findParts }: Download,
): Promise<'kept' | 'done' | 'gone'> {
  if (await isSame(target, listed)) return 'kept';
  await mkdir(dirname(target), { recursive: true });
  let failures = 0;
  let etag: string | null = listed.etag ?? null;
  for (const part of await findParts(target)) {
    if (part !== partialPath(target, String(etag))) await rm(part, { force: true });
  }
  for (;;) {
    // A part belongs to the bytes of one ETag.
    const partial = partialPath(target, String(etag));
    const present = await sizeOf(partial);
    try {
      const file = await openFrom(drive, listed.name, present, signal);
      if (file === null) {
        await rm(partial, { force: true });
        return 'gone';
      }
      if (file.etag !== etag) {
        // It was overwritten since it was listed.
        await file.stream().cancel();
        await rm(partial, { force: true });
        etag = file.etag;
        continue;
      }
      await append(partial, file, (bytes) => {
        failures = 0;
        counted(bytes);
      });
      const { lastModified } = file;
      if (lastModified !== null) await utimes(partial, lastModified, lastModified);
      await rename(partial, target).catch(async (cause) => {
        await rm(partial, { force: true });
        throw cause;
      });
      return 'done';
    } catch (error) {
      const isLost = error instanceof BasedriveError && error.code === 'network';
      if (!isLost || ++failures > maxFailures) throw error;
      await wait(firstPauseMs * 2 ** (failures - 1), undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    }
  }
}

/** The file from an offset on. A file without further bytes is read as a whole. */
async function openFrom(
  drive: Pick<Drive, 'get'>,
  name: string,
  from: number,
  signal: AbortSignal,
): Promise<DriveFile | null> {
  if (from === 0) return await drive.get(name, { signal });
  try {
    return await drive.get(name, { range: { from: from - 1 }, signal });
  } catch (error) {
    if (!(error instanceof BasedriveError) || error.status !== 416) throw error;
    return await drive.get(name, { signal });
  }
}

/** Writes the bytes where they belong: at the start, or from the last byte on that is there. */
async function append(path: string, file: DriveFile, counted: (bytes: number) => void): Promise<void> {
  const target = await open(path, file.status === 206 ? 'r+' : 'w', 0o600);
  try {
    let at = Number(/^bytes (\d+)-/.exec(file.contentRange ?? '')?.[1] ?? 0);
    for await (const chunk of file.stream()) {
      await target.write(chunk, 0, chunk.length, at);
      at += chunk.length;
      counted(chunk.length);
    }
  } finally {
    await target.close();
  }
}

/** Beside the file, so that it can take its name in one step. */
function partialPath(target: string, etag: string): string {
  return join(dirname(target), `${partialPrefix(target)}${hashOf(etag)}.partial`);
}

function partialPrefix(target: string): string {
  return `.basedrive-${hashOf(target)}-`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Gives what earlier runs have of a file. */
type PartFinder = (target: string) => Promise<readonly string[]>;

/** Reads each folder once. */
function createPartFinder(): PartFinder {
  const folders = new Map<string, Promise<readonly string[]>>();
  return async (target) => {
    const folder = dirname(target);
    const known = folders.get(folder) ?? readParts(folder);
    folders.set(folder, known);
    const prefix = partialPrefix(target);
    return (await known).filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
  };
}

async function readParts(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => partialName.test(name));
}

async function isSame(path: string, { size, modified }: FileDetails): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size && Math.floor(found.mtimeMs / 1000) === modified;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
