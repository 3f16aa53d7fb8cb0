import { open, stat } from 'node:fs/promises';
import { isSystemError } from '../../lib/folder.js';
import { OperatorError } from '../../operator-error.js';
import type { Selection } from '../selection.js';
import { openFolderSource, openSingleFile } from './folder-source.js';
import type { ImportSource } from './source.js';
import { openZipSource, type ZipOptions } from './zip-source.js';

/** The first bytes of a zip archive, also of one that was cut off. */
const zipMark = 'PK';

/**
 * Opens what is to be imported: a folder, a zip archive, or one file with the items of the selected base. Throws
 * `OperatorError`.
 */
export async function openSource(
  path: string,
  { selection, ...zipOptions }: ZipOptions & { readonly selection: Selection },
): Promise<ImportSource> {
  try {
    if ((await stat(path)).isDirectory()) return await openFolderSource(path);
    if (await beginsWith(path, zipMark)) return await openZipSource(path, zipOptions);
    return await itemsSource(path, selection);
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new OperatorError(`${path} cannot be read: ${cause.message}`, { cause });
  }
}

async function itemsSource(path: string, { bases, drives }: Selection): Promise<ImportSource> {
  const [base, ...others] = bases ?? [];
  if (base === undefined || others.length > 0 || (drives ?? []).length > 0) {
    throw new OperatorError(
      `${path} is neither a folder nor a zip archive: if it holds the items of a base, name it with --base`,
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
