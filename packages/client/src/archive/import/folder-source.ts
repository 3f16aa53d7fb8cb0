import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../system-error.js';
import type { SetAside } from './report.js';
import { BrokenFile, type ImportSource, onlyRoot, type SourceFile } from './source.js';

const tops = ['bases', 'drives', 'basedrive.json'];

/**
 * Opens a folder that is to be imported. Links are set aside: they may lead out of the folder. Throws code `bad_archive` if
 * there is nothing to import.
 */
export async function openFolderSource(folder: string): Promise<ImportSource> {
  const root = await findRoot(folder);
  const setAside = new Map<string, SetAside>();

  async function* walk(path: string): AsyncGenerator<SourceFile, void, undefined> {
    const entries = await orSetAside(path, readdir(join(root, path), { withFileTypes: true }));
    entries?.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries ?? []) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) yield* walk(below);
      else if (entry.isFile()) {
        const file = await orSetAside(below, describe(below));
        if (file !== undefined) yield file;
      } else setAside.set(below, { path: below, problem: 'is a link or a device, not a file' });
    }
  }

  /** A file may be gone, or its name may be no text: then the others go in. */
  async function orSetAside<T>(path: string, read: Promise<T>): Promise<T | undefined> {
    try {
      return await read;
    } catch (cause) {
      if (!isSystemError(cause) || path === '') throw cause;
      setAside.set(path, { path, problem: `cannot be read: ${cause.code}` });
      return undefined;
    }
  }

  async function describe(path: string): Promise<SourceFile> {
    const full = join(root, path);
    const { size } = await lstat(full);
    return { path, size, isChecked: false, open: () => readFileAt(full) };
  }

  return {
    files: () => walk(''),
    async find(path) {
      const found = await lstat(join(root, path)).catch(() => undefined);
      return found?.isFile() ? await describe(path) : undefined;
    },
    get setAside() {
      return [...setAside.values()];
    },
    async close() {},
  };
}

/** Opens a single file of items that is to be imported. */
export async function openSingleFile(path: string): Promise<SourceFile> {
  const { size } = await lstat(path);
  return { path, size, isChecked: false, open: () => readFileAt(path) };
}

/** The folder itself, or the only folder in it that holds an export. */
async function findRoot(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some(({ name }) => tops.includes(name))) return folder;
  const roots = new Set<string>();
  for (const entry of entries) {
    // A link may lead out of the folder.
    const below = entry.isDirectory() ? await readdir(join(folder, entry.name)).catch(() => []) : [];
    if (below.some((inner) => tops.includes(inner))) roots.add(entry.name);
  }
  return join(folder, onlyRoot(roots, folder));
}

async function* readFileAt(path: string): AsyncGenerator<Buffer, void, undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    yield* file.createReadStream({ highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new BrokenFile(`cannot be read: ${cause.code}`, { cause });
  } finally {
    await file?.close();
  }
}
