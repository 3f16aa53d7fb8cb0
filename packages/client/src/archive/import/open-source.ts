import { open, stat } from 'node:fs/promises';
import { BasedriveError, invalid } from '../../http/error.js';
import type { Selection } from '../options.js';
import { isSystemError } from '../system-error.js';
import { openFolderSource, openSingleFile } from './folder-source.js';
import type { ImportSource } from './source.js';

/** The first bytes of a zip archive, also of one that was cut off. */
const zipMark = 'PK';

/**
 * Opens what is to be imported: a folder, a zip archive, or one file with the items of the selected base. Throws code
 * `bad_archive` for anything else, and `invalid` for what cannot be read.
 */
export async function openSource(
  path: string,
  { selection, maxRatio }: { readonly selection: Selection; readonly maxRatio: number },
): Promise<ImportSource> {
  try {
    if ((await stat(path)).isDirectory()) return await openFolderSource(path);
    // The module for archives is loaded only for an archive.
    if (await beginsWith(path, zipMark))
      return await (await import('./zip-source.js')).openZipSource(path, { maxRatio });
    return await itemsSource(path, selection);
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw invalid(`${path} cannot be read: ${cause.message}`, { cause });
  }
}

async function itemsSource(path: string, { bases, drives }: Selection): Promise<ImportSource> {
  const [base, ...others] = bases ?? [];
  if (base === undefined || others.length > 0 || (drives ?? []).length > 0) {
    throw new BasedriveError(
      'bad_archive',
      `${path} is neither a folder nor a zip archive: if it holds the items of a base, name it with --base, bases`,
    );
  }
  const file = await openSingleFile(path);
  return {
    async *files() {
      yield { ...file, base };
    },
    find: async () => undefined,
    setAside: [],
    async close() {},
  };
}

async function beginsWith(path: string, mark: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0);
    return bytesRead === mark.length && buffer.toString('latin1') === mark;
  } finally {
    await file.close();
  }
}
