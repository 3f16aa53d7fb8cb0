import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../config/settings.js';
import type { BlobStore } from '../../engines/blob-store.js';
import type { ItemStore } from '../../engines/item-store.js';
import {
  blobsAddressProblem,
  isFolderPath,
  itemsAddressProblem,
  openBlobs,
  openItems,
  shownAddress,
} from '../../engines/registry.js';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { isBelow, realPath } from '../../lib/nested-folder.js';
import { pathProblem } from '../../lib/text/path-problem.js';
import { OperatorError } from '../../operator-error.js';
import { DataFolderInUse, endBeginning, openDataFolder } from '../data-folder.js';
import { openFolderRows } from '../open-store.js';
import { watchedWrites, writeProblem } from '../watched-writes.js';
import type { Destination } from './copy-marker.js';

/** Where the rows and the blobs of one side are stored, as in `--data`, `--items` and `--blobs` of a server. */
export interface CopyPlaces {
  /** Absolute; undefined if both are given by addresses. */
  readonly dataFolder?: string | undefined;
  readonly items?: string | undefined;
  /** A URL, or the absolute path of a folder. */
  readonly blobs?: string | undefined;
}

/**
 * Reads `--from` or `--to`: a data folder, or two addresses, first of the rows, then of the blobs. Throws
 * `OperatorError`, which never shows an address that cannot be read: it may hold a password.
 */
export function readPlaces(flag: string, addresses: readonly string[]): CopyPlaces {
  const [rows, bytes, ...more] = addresses;
  if (rows === undefined)
    throw new OperatorError(`${flag}: give a data folder, or the addresses of rows and bytes`);
  if (more.length > 0)
    throw new OperatorError(`${flag}: at most two addresses, of the rows and of the bytes`);
  if (rows === '') throw new OperatorError(`${flag}: must not be empty`);
  const wrong = isFolderPath(rows) ? pathProblem(rows) : undefined;
  if (wrong !== undefined) throw new OperatorError(`${flag}: ${wrong}`);
  const place = isFolderPath(rows) ? { dataFolder: resolve(rows) } : { items: rows };
  if (place.items !== undefined) {
    const problem = itemsAddressProblem(place.items);
    if (problem !== undefined)
      throw new OperatorError(`${flag}: the address of the rows ${problem}, or a data folder`);
    if (bytes === undefined) throw new OperatorError(`${flag}: give the address of the bytes as well`);
  }
  if (bytes === undefined) return place;
  const problem = bytes === '' ? 'must not be empty' : blobsAddressProblem(bytes);
  if (problem !== undefined) throw new OperatorError(`${flag}: the address of the bytes ${problem}`);
  return { ...place, blobs: isFolderPath(bytes) ? resolve(bytes) : bytes };
}

/** Refuses a source that does not exist: opening a mistyped folder must not create a store. */
export function requireSource({ dataFolder, items, blobs }: CopyPlaces): void {
  if (dataFolder !== undefined && items === undefined && !existsSync(join(dataFolder, 'FORMAT'))) {
    throw new OperatorError(`--from: there is no Basedrive store in ${dataFolder}`);
  }
  if (blobs !== undefined && isFolderPath(blobs) && !existsSync(blobs)) {
    throw new OperatorError(`--from: there is no folder ${blobs}`);
  }
}

/** Refuses a destination that is the source, before anything is opened: an open destination may already be written to. */
export function refuseSamePlaces(from: CopyPlaces, to: CopyPlaces): void {
  for (const half of ['rows', 'blobs'] as const) {
    if (placeOf(from, half) === placeOf(to, half)) {
      const what = half === 'rows' ? 'rows' : 'bytes';
      throw new OperatorError(`--from and --to have the same ${what}: give each its own place`);
    }
  }
}

/** Refuses a destination in a folder of the source, with which it would be lost. Throws `OperatorError`. */
export function refuseNestedPlaces(from: CopyPlaces, to: CopyPlaces): void {
  for (const path of foldersOf(to)) {
    const around = [...foldersOf(from), ...linkedParts(from)].find(
      (folder) => isBelow(path, folder) || realPath(path) === realPath(folder),
    );
    if (around !== undefined) {
      throw new OperatorError(
        `--to: ${path} is inside ${around}, the source itself: give a place elsewhere, best on another disk`,
      );
    }
  }
}

function foldersOf({ dataFolder, blobs }: CopyPlaces): readonly string[] {
  const folders = [dataFolder, blobs].filter((address) => address !== undefined);
  return folders.filter(isFolderPath);
}

/** Rows and bytes of a data folder may be links to folders elsewhere. */
function linkedParts({ dataFolder, items, blobs }: CopyPlaces): readonly string[] {
  if (dataFolder === undefined) return [];
  const parts = [items === undefined ? 'rows' : undefined, blobs === undefined ? 'blobs' : undefined];
  return parts.filter((part) => part !== undefined).map((part) => join(dataFolder, part));
}

function placeOf({ dataFolder = '', items, blobs }: CopyPlaces, half: 'rows' | 'blobs'): string {
  const address = half === 'rows' ? items : blobs;
  if (address !== undefined && !isFolderPath(address)) return address;
  const path = address ?? join(dataFolder, half);
  const found = existsSync(path) ? statSync(path, { bigint: true }) : undefined;
  // A folder may be mounted at a second path, too.
  return found === undefined ? path : `${found.dev} ${found.ino}`;
}

/**
 * Opens the destination, creates its missing folders unless it `mustExist`, and closes it after `use`. No server starts on a
 * folder that this has made before `use` has claimed it. Throws `OperatorError`.
 */
export async function withDestination<T>(
  places: CopyPlaces,
  variables: Environment,
  use: (destination: Destination) => Promise<T>,
  { flag = '--to', mustExist = false }: { readonly flag?: string; readonly mustExist?: boolean } = {},
): Promise<T> {
  const { items, claimed } = await openDestinationRows(places, variables, !mustExist).catch((cause) => {
    // `DataFolderInUse` of the source means that its server has to copy.
    throw cause instanceof DataFolderInUse
      ? new OperatorError(`${flag}: ${cause.message}`, { cause })
      : cause;
  });
  return await closing(items, async () => {
    const blobs = await openPlaceBlobs(places, variables, !mustExist);
    return await closing(blobs, () => namingFailures(places, { items, blobs, claimed }, use));
  });
}

/**
 * A destination that is full, read-only or away is named: the message of its engine could be about the source. Whoever tries
 * again still sees the engine's own error, and `failureOf` names it.
 */
export async function namingFailures<T>(
  { dataFolder, items: rows, blobs: bytes }: CopyPlaces,
  { items, blobs, claimed }: Destination,
  use: (destination: Destination) => Promise<T>,
): Promise<T> {
  const places = new WeakMap<object, string>();
  const noted = <T>(address: string | undefined, cause: T): T => {
    if (!(cause instanceof StorageUnavailable)) return cause;
    const where = address === undefined ? (dataFolder ?? '') : shownAddress(address);
    places.set(cause, where);
    return cause;
  };
  const failureOf = (cause: StorageUnavailable, of = '') => {
    const where = places.get(cause);
    return where === undefined ? undefined : `${where}${of}: ${writeProblem(cause)}`;
  };
  try {
    return await use({
      items: {
        ...items,
        transact: (...given) =>
          items.transact(...given).catch((cause) => {
            throw noted(rows, cause);
          }),
        get(...given) {
          const row = items.get(...given);
          if (!(row instanceof Promise)) return row;
          return row.catch((cause) => {
            throw noted(rows, cause);
          });
        },
        spaces: (...given) => noting(items.spaces(...given), (cause) => noted(rows, cause)),
        scan: (...given) => noting(items.scan(...given), (cause) => noted(rows, cause)),
      },
      blobs: watchedWrites(blobs, (cause) => noted(bytes, cause)),
      claimed,
      failureOf: (cause) => failureOf(cause),
    });
  } catch (cause) {
    const message =
      cause instanceof StorageUnavailable
        ? failureOf(cause, ' cannot store the rest of the copy')
        : undefined;
    throw message === undefined ? cause : new OperatorError(message, { cause });
  }
}

async function* noting<T>(read: AsyncIterable<T>, noted: (cause: unknown) => unknown): AsyncGenerator<T> {
  try {
    yield* read;
  } catch (cause) {
    throw noted(cause);
  }
}

/** Opens the blobs that belong to open rows, and closes them after `use`. Throws `OperatorError`. */
export async function withBlobs<T>(
  places: CopyPlaces,
  items: ItemStore,
  variables: Environment,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const blobs = await openPlaceBlobs(places, variables, false);
  return await closing(blobs, () => use({ items, blobs }));
}

async function openDestinationRows(
  { dataFolder, items }: CopyPlaces,
  variables: Environment,
  create: boolean,
): Promise<Pick<Destination, 'items' | 'claimed'>> {
  if (items !== undefined) return { items: await openItems({ address: items, variables, create: false }) };
  const folder = await openDataFolder(dataFolder ?? '', {
    parts: ['rows'],
    create: create ? 'if empty' : 'never',
  });
  const rows = await openFolderRows(folder, { create, acceptDamage: false });
  return { items: rows, claimed: () => endBeginning(folder) };
}

async function openPlaceBlobs(
  { dataFolder, blobs }: CopyPlaces,
  variables: Environment,
  create: boolean,
): Promise<BlobStore> {
  if (blobs !== undefined) return await openBlobs({ address: blobs, variables, create });
  const options = { parts: ['blobs'], create: create ? 'if empty' : 'never' } as const;
  const folder = await openDataFolder(dataFolder ?? '', options);
  return await openBlobs({ address: folder.blobs, variables, create });
}

async function closing<T>(opened: { close(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await opened.close();
  }
}
