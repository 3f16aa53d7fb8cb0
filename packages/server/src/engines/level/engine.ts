import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../operator-error.js';
import type { ItemEngine } from '../engine.js';
import type { ItemStore } from '../item-store.js';
import { StoreInUse, StoreMissing } from '../storage-errors.js';

/** LevelDB in a folder: the item store of one machine. */
export const levelEngine: ItemEngine = {
  schemes: ['file:'],
  isRemote: false,
  urlForm: 'file:///folder',
  variables: [],
  checkUrl: () => undefined,
  async open({ url, create }) {
    const folder = fileURLToPath(url);
    if (!(await isPresent(folder)) && !create) throw new StoreMissing(`There are no rows in ${folder}`);
    return await openFolder(folder);
  },
};

/**
 * Whether the folder holds a LevelDB. `CURRENT` is its entry point; without it LevelDB would begin an empty store and
 * delete the tables of the old one. Throws `OperatorError` when only `CURRENT` is missing.
 */
async function isPresent(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((cause: NodeJS.ErrnoException): string[] => {
    if (cause.code === 'ENOENT') return [];
    throw new OperatorError(`The rows in ${folder} cannot be opened: ${cause.message}`, { cause });
  });
  if (names.includes('CURRENT')) return true;
  for (const name of names.filter((entry) => /\.(ldb|sst|log)$/.test(entry))) {
    if ((await stat(join(folder, name))).size === 0) continue;
    throw new OperatorError(
      `The rows in ${folder} are damaged: the file CURRENT is missing, but ${name} is there. Restore a backup`,
    );
  }
  return false;
}

async function openFolder(folder: string): Promise<ItemStore> {
  const { openLevelStore } = await import('./store.js');
  try {
    return await openLevelStore({ folder });
  } catch (cause) {
    const { code, message } = innermost(cause);
    if (code === 'LEVEL_LOCKED') {
      throw new StoreInUse(`The rows in ${folder} are in use by another process`, { cause });
    }
    if (code?.startsWith('LEVEL_') !== true) throw cause;
    const line = message.replaceAll('\n', ' ');
    throw new OperatorError(`The rows in ${folder} cannot be opened: ${line}`, { cause });
  }
}

/** The error of LevelDB itself, which abstract-level wraps. */
function innermost(cause: unknown): { code?: string; message: string } {
  let error = cause;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  return error instanceof Error ? (error as Error & { code?: string }) : { message: String(cause) };
}
