import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BasedriveError } from '../../error.js';
import { isSystemError } from '../system-error.js';
import type { SetAside } from './report.js';
import { BrokenFile, type ImportSource, type SourceFile } from './source.js';

const tops = ['bases', 'drives', 'basedrive.json'];

/**
 * Imports a folder. Links are set aside: they may lead out of the folder. Throws code `bad_archive` if there is
 * nothing to import.
 */
export async function openFolderSource(folder: string): Promise<ImportSource> {
  const root = await findRoot(folder);
  const setAside = new Map<string, SetAside>();

  async function* walk(path: string): AsyncGenerator<SourceFile, void, undefined> {
    const entries = await readdir(join(root, path), { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) yield* walk(below);
      else if (entry.isFile()) yield await describe(below);
      else setAside.set(below, { path: below, problem: 'is a link or a device, not a file' });
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

/** Imports the items in a single file. */
export async function openSingleFile(path: string): Promise<SourceFile> {
  const { size } = await lstat(path);
  return { path, size, isChecked: false, open: () => readFileAt(path) };
}

/** The folder itself, or the only folder in it that holds an export. */
async function findRoot(folder: string): Promise<string> {
  const names = await readdir(folder);
  if (names.some((name) => tops.includes(name))) return folder;
  for (const name of names) {
    const below = await readdir(join(folder, name)).catch(() => []);
    if (below.some((inner) => tops.includes(inner))) return join(folder, name);
  }
  throw new BasedriveError(
    'bad_archive',
    `There is nothing to import in ${folder}: it has neither bases nor drives`,
  );
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
