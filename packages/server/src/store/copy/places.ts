import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../config/settings.js';
import type { ItemStore } from '../../engines/item-store.js';
import { checkBlobsUrl, checkItemsUrl, isFolder, openBlobs, openItems } from '../../engines/registry.js';
import { OperatorError } from '../../operator-error.js';
import { DataFolderInUse, openDataFolder } from '../data-folder.js';
import type { Store } from '../store.js';

/** Where the rows and the bytes of one side lie, as `--data`, `--items` and `--blobs` of a server would say it. */
export interface CopyPlaces {
  /** Absolute; undefined when both halves are named by addresses. */
  readonly dataFolder?: string | undefined;
  readonly items?: string | undefined;
  /** A URL, or the absolute path of a folder. */
  readonly blobs?: string | undefined;
}

/**
 * Reads `--from` or `--to`: a data folder, or two addresses, first of the rows, then of the bytes. Throws
 * `OperatorError`, which never shows an address that cannot be read: it may hold a password.
 */
export function readPlaces(flag: string, addresses: readonly string[]): CopyPlaces {
  const [rows, bytes, ...more] = addresses;
  if (rows === undefined)
    throw new OperatorError(`${flag}: give a data folder, or the addresses of rows and bytes`);
  if (more.length > 0)
    throw new OperatorError(`${flag}: at most two addresses, of the rows and of the bytes`);
  const place = isFolder(rows) ? { dataFolder: resolve(rows) } : { items: rows };
  if (rows === '') throw new OperatorError(`${flag}: must not be empty`);
  if (place.items !== undefined) {
    const wrong = checkItemsUrl(place.items);
    if (wrong !== undefined)
      throw new OperatorError(`${flag}: the address of the rows ${wrong}, or a data folder`);
    if (bytes === undefined) throw new OperatorError(`${flag}: give the address of the bytes as well`);
  }
  if (bytes === undefined) return place;
  const wrong = bytes === '' ? 'must not be empty' : checkBlobsUrl(bytes);
  if (wrong !== undefined) throw new OperatorError(`${flag}: the address of the bytes ${wrong}`);
  return { ...place, blobs: isFolder(bytes) ? resolve(bytes) : bytes };
}

/** A source must be there: to look for one in a mistyped folder must not make it. */
export function requireSource({ dataFolder, items, blobs }: CopyPlaces): void {
  if (dataFolder !== undefined && items === undefined && !existsSync(join(dataFolder, 'FORMAT'))) {
    throw new OperatorError(`--from: there is no data folder ${dataFolder}`);
  }
  if (blobs !== undefined && isFolder(blobs) && !existsSync(blobs)) {
    throw new OperatorError(`--from: there is no folder ${blobs}`);
  }
}

/** Before anything is opened: to open a folder of bytes by its owner's name clears what others are writing there. */
export function refuseSamePlaces(from: CopyPlaces, to: CopyPlaces): void {
  for (const half of ['rows', 'blobs'] as const) {
    if (placeOf(from, half) === placeOf(to, half)) {
      const what = half === 'rows' ? 'rows' : 'bytes';
      throw new OperatorError(`--from and --to have the same ${what}: give them a place of their own`);
    }
  }
}

function placeOf({ dataFolder = '', items, blobs }: CopyPlaces, half: 'rows' | 'blobs'): string {
  const url = half === 'rows' ? items : blobs;
  if (url !== undefined && !isFolder(url)) return url;
  const path = url ?? join(dataFolder, half);
  return existsSync(path) ? realpathSync(path) : path;
}

/** Opens the destination, makes its folders that are missing, and closes it after `use`. Throws `OperatorError`. */
export async function withDestination<T>(
  places: CopyPlaces,
  environment: Environment,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const { dataFolder, items: url } = places;
  const isInFolder = url === undefined && dataFolder !== undefined;
  const folder = isInFolder ? await openDataFolder(dataFolder, ['rows']) : undefined;
  const items = await openItems({ url, folder }).catch((cause) => {
    // Of the source that would mean that its server is to do it.
    throw cause instanceof DataFolderInUse ? new OperatorError(`--to: ${cause.message}`, { cause }) : cause;
  });
  try {
    return await withBlobs(places, items, environment, use);
  } finally {
    await items.close();
  }
}

/** Opens the bytes that belong to rows which are open, and closes them after `use`. Throws `OperatorError`. */
export async function withBlobs<T>(
  places: CopyPlaces,
  items: ItemStore,
  environment: Environment,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const { dataFolder, blobs: url } = places;
  const isInFolder = url === undefined && dataFolder !== undefined;
  const folder = isInFolder ? await openDataFolder(dataFolder, ['blobs']) : undefined;
  const blobs = await openBlobs({ url, folder, environment });
  try {
    return await use({ items, blobs });
  } finally {
    await blobs.close();
  }
}
