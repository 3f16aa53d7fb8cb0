import { OperatorError } from '../operator-error.js';
import { type DataFolder, makeFolder, openRows } from '../store/data-folder.js';
import type { BlobStore } from './blob-store.js';
import type { ItemStore } from './item-store.js';
import { StorageUnavailable } from './storage-errors.js';

/**
 * The one place that knows which engine an address means. Engines are imported when they are opened: a start with
 * the embedded ones does not wait for the drivers of the others. Another engine is a file, and a line here.
 */

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ItemsPlace {
  /** Of `--items`; without one the rows are LevelDB's in the folder, and without a folder in memory. */
  readonly url: string | undefined;
  readonly folder: DataFolder | undefined;
}

export interface BlobsPlace {
  /** Of `--blobs`, a URL or a folder; without one the bytes lie in the data folder, and without that in memory. */
  readonly url: string | undefined;
  readonly folder: DataFolder | undefined;
  /** Where engines find their credentials. */
  readonly environment: Variables;
}

export interface MigrateOptions {
  /** Over many machines: a space on one of them, or every space over all. */
  readonly distribute: 'by-space' | 'by-key';
}

const itemEngines: Readonly<Record<string, (url: string) => Promise<ItemStore>>> = {
  'postgres:': openPostgres,
  'postgresql:': openPostgres,
};

const blobEngines: Readonly<Record<string, (url: string, environment: Variables) => Promise<BlobStore>>> = {
  's3:': openS3,
};

/** What makes an address of rows unusable, as a sentence, or undefined. */
export function checkItemsUrl(url: string): string | undefined {
  const rule = 'must be postgres://user@host/database';
  return !isFolder(url) && URL.canParse(url) && new URL(url).protocol in itemEngines ? undefined : rule;
}

/** What makes an address of bytes unusable, as a sentence, or undefined. */
export function checkBlobsUrl(url: string): string | undefined {
  if (isFolder(url)) return undefined;
  if (!URL.canParse(url) || !(new URL(url).protocol in blobEngines)) {
    return 'must be s3://bucket/prefix or the path of a folder';
  }
  const { hostname, username, password } = new URL(url);
  if (username !== '' || password !== '')
    return 'credentials come from the environment, not from the address';
  return hostname === '' ? 'must name a bucket, s3://bucket/prefix' : undefined;
}

/** An address as it may be shown: without user, password and options. A folder as it is. */
export function shownAddress(url: string): string {
  if (isFolder(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/**
 * Opens the rows. Throws `OperatorError`, with one line for the operator, when they cannot be had:
 * `DataFolderInUse` when another process has the folder.
 */
export async function openItems({ url, folder }: ItemsPlace): Promise<ItemStore> {
  if (url !== undefined) return await opened('rows', url, () => engineOf(itemEngines, url)(url));
  const { openLevelStore } = await import('./level/store.js');
  return folder === undefined
    ? await openLevelStore({ memory: true })
    : await openRows(folder, openLevelStore);
}

/**
 * Makes the tables of rows, or brings them to this version. Gives what was done, a sentence each. Throws
 * `OperatorError`, with one line for the operator, when it cannot be done.
 */
export async function migrateItems(url: string, options: MigrateOptions): Promise<readonly string[]> {
  return await opened('rows', url, async () => {
    const { migrateSchema } = await import('./postgres/schema.js');
    return (await migrateSchema(url, options)).done;
  });
}

/** Opens the bytes. Throws `OperatorError`, with one line for the operator, when they cannot be had. */
export async function openBlobs(place: BlobsPlace): Promise<BlobStore> {
  const { url, folder, environment } = place;
  if (url === undefined && folder === undefined) {
    const { openMemoryBlobStore } = await import('./memory/blob-store.js');
    return openMemoryBlobStore();
  }
  if (url !== undefined && !isFolder(url)) {
    return await opened('bytes', url, () => engineOf(blobEngines, url)(url, environment));
  }
  const path = url ?? folder?.blobs ?? '';
  return await opened('bytes', path, async () => {
    await makeFolder(path);
    const { openFsBlobStore } = await import('./fs/store.js');
    return await openFsBlobStore(path);
  });
}

async function openPostgres(url: string): Promise<ItemStore> {
  const { openPostgresStore } = await import('./postgres/store.js');
  return await openPostgresStore({ url });
}

async function openS3(url: string, environment: Variables): Promise<BlobStore> {
  // The SDK would print which Node its versions to come want; this one is pinned, and who starts a server cannot help it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { openS3BlobStore } = await import('./s3/store.js');
  const { s3Options } = await import('./s3/options.js');
  return await openS3BlobStore(s3Options(url, environment));
}

/** Whether an address is the path of a folder, and no URL. */
export function isFolder(url: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\//i.test(url);
}

function engineOf<Engine>(engines: Readonly<Record<string, Engine>>, url: string): Engine {
  const engine = engines[new URL(url).protocol];
  if (engine === undefined) throw new OperatorError(`No engine knows ${shownAddress(url)}`);
  return engine;
}

async function opened<Store>(what: string, url: string, open: () => Promise<Store>): Promise<Store> {
  try {
    return await open();
  } catch (cause) {
    // A disk or a server that is away is the operator's to mend; anything else is a fault of ours.
    const isAway = cause instanceof StorageUnavailable || (cause instanceof Error && 'syscall' in cause);
    if (!isAway) throw cause;
    throw new OperatorError(`The ${what} in ${shownAddress(url)} cannot be opened: ${cause.message}`, {
      cause,
    });
  }
}
