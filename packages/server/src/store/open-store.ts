import { join, resolve } from 'node:path';
import type { Environment, Settings } from '../config/settings.js';
import type { BlobStore } from '../engines/blob-store.js';
import type { OnLoss, StoreLocation } from '../engines/engine.js';
import type { ItemStore } from '../engines/item-store.js';
import { memoryAddress, type OpenOptions, openBlobs, openItems, shownAddress } from '../engines/registry.js';
import { withDeadline } from '../engines/shared/deadline.js';
import { withTurns } from '../engines/shared/reading-turns.js';
import { rowsLostText, StoreInUse, StoreMissing } from '../engines/storage-errors.js';
import type { Store } from '../engines/store.js';
import type { Closers } from '../lib/concurrency/closers.js';
import { resolveWithin } from '../lib/concurrency/time-limit.js';
import { OperatorError } from '../operator-error.js';
import { refuseIncompleteCopy } from './copy/copy-marker.js';
import {
  type DataFolder,
  DataFolderInUse,
  type FolderPart,
  folderWarnings,
  openDataFolder,
  raiseFormat,
  readIdentity,
  refuseStoreOfAnotherUser,
  writeIdentity,
} from './data-folder.js';
import { claimBlobs, hasIdentity, haveLostBlobs, haveOwner, holdsBlobs, identityBlob } from './identity.js';

/** Longer than the time limits of the engines, shorter than most clients wait. */
const answerWithinMs = 15_000;
const closeWithinMs = 5000;

/** The settings that say where a store is, and how to open it. */
export type StoreSettings = Pick<
  Settings,
  'dataFolder' | 'memory' | 'items' | 'blobs' | 'acceptDamagedRows' | 'https' | 'tlsCert'
>;

export interface RowsOptions
  extends Pick<StoreLocation, 'create' | 'checksWhileOpen' | 'onLoss' | 'onGroup' | 'onDamage'> {
  /** Whether to open damaged rows. What cannot be read of them is lost. */
  readonly acceptDamage: boolean;
  /** Whether nothing is written, so that earlier versions can still open the folder. */
  readonly isExamined?: boolean;
}

/** What `openStore` needs besides the settings. */
export interface OpenStoreOptions extends Pick<StoreLocation, 'variables' | 'onGroup' | 'onDamage'> {
  /** They close what it opens. */
  readonly closers: Closers;
}

export interface OpenStore extends Store {
  /** Undefined when nothing is stored in a data folder. */
  readonly folder: DataFolder | undefined;
  /** That of the rows, which the blobs hold, too. */
  readonly identity: string;
  /** Where the blobs are, for people. */
  readonly blobsPlace: string;
  /** What the operator should know about it, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Opens the store of a server: creates it at the first start, and refuses rows and blobs that are not a pair. Throws
 * `OperatorError`.
 */
export async function openStore(
  settings: StoreSettings,
  { variables, closers, onGroup, onDamage }: OpenStoreOptions,
): Promise<OpenStore> {
  const parts = folderParts(settings);
  const folder =
    parts.length === 0 ? undefined : await openDataFolder(settings.dataFolder, { parts, create: 'always' });
  if (folder !== undefined) await refuseStoreOfAnotherUser(folder);
  const remote =
    settings.items === undefined
      ? undefined
      : await openRemoteRows({ address: settings.items, variables, create: false, onGroup });
  if (remote !== undefined) closers.push(closeInTime(settings.items, remote.close));
  // Rows in a folder have one server.
  const isAlone = remote === undefined;
  const blobs = await openBlobs({
    address: blobsAddress(settings, folder),
    variables,
    create: true,
    isAlone,
  });
  closers.push(closeInTime(settings.blobs, blobs.close));
  const losses: string[] = [];
  const onLoss: OnLoss = (damage) => void losses.push(rowsLostText(damage));
  const callbacks = { onGroup, onDamage, onLoss };
  const items = remote ?? (await openOrCreateRows(settings, folder, blobs, callbacks));
  if (remote === undefined) closers.push(items.close);
  // Its bytes may belong to no rows yet: that would be the first thing to be noticed, and its advice would be wrong.
  await refuseIncompleteCopy(items);
  if (folder !== undefined && remote === undefined && !settings.acceptDamagedRows)
    await refuseLostRows(folder, items);
  const haveLost = await haveLostBlobs(items, blobs);
  const identity = await claimBlobs(items, blobs);
  if (identity === undefined) throw await mismatchOf(settings, blobs);
  if (folder !== undefined && settings.items === undefined) await writeIdentity(folder, identity);
  const warnings = folder === undefined ? [] : [...losses, ...(await folderWarnings(folder))];
  if (haveLost) warnings.push(blobsLost(blobsAddress(settings, folder)));
  return {
    items,
    blobs,
    folder,
    identity,
    blobsPlace: shownAddress(blobsAddress(settings, folder)),
    warnings,
  };
}

/**
 * The rows in a data folder, which no other process may use. Throws `DataFolderInUse`, `StoreOfAnotherUser`,
 * `OperatorError`.
 */
export async function openFolderRows(folder: DataFolder, options: RowsOptions): Promise<ItemStore> {
  await refuseStoreOfAnotherUser(folder);
  const { isExamined = false, ...opening } = options;
  try {
    const items = await openItems({ address: folder.rows, variables: {}, ...opening });
    if (!isExamined) await raiseFormat(folder);
    return items;
  } catch (cause) {
    if (cause instanceof StoreInUse) throw new DataFolderInUse(folder.path, cause);
    throw cause;
  }
}

/** Opens the blobs of these settings, without creating a store. Throws `OperatorError`. */
export async function openExistingBlobs(
  settings: Pick<StoreSettings, 'dataFolder' | 'blobs'>,
  variables: Environment,
): Promise<BlobStore> {
  const { dataFolder, blobs } = settings;
  const folder =
    blobs === undefined ? await openDataFolder(dataFolder, { parts: [], create: 'never' }) : undefined;
  return await openBlobs({ address: blobs ?? folder?.blobs ?? memoryAddress, variables, create: false });
}

type BytesSettings = Pick<StoreSettings, 'blobs' | 'dataFolder'>;

function bytesPlace({ blobs, dataFolder }: BytesSettings): string {
  return blobs === undefined ? dataFolder : shownAddress(blobs);
}

/** The error for blobs that these rows may not claim. */
async function mismatchOf(settings: BytesSettings, blobs: BlobStore): Promise<OperatorError> {
  if (await haveOwner(blobs)) return identityMismatch(settings);
  return identityMismatch(
    settings,
    'no blob there says whose they are, and no row names one of them: to give the place to these rows, move them elsewhere',
  );
}

/** The error for rows and blobs of different stores. Only the operator knows which of them is wrong. */
export function identityMismatch(
  settings: BytesSettings,
  advice = `to give them to these rows, remove the blob ${identityBlob}`,
): OperatorError {
  return new OperatorError(
    `The bytes in ${bytesPlace(settings)} belong to other rows: check that --items and --blobs are a pair (${advice})`,
  );
}

function blobsLost(address: string): string {
  return (
    `stored files have their bytes in ${shownAddress(address)}, and nothing is there: if it is not mounted, stop the server` +
    ' and mount it, because new files are stored there; if it is lost, restore a backup (basedrive check lists the files)'
  );
}

/**
 * Gives the function that closes an engine: it waits for a disk, but not for a remote store, which may be unreachable.
 * What the engine acknowledged is already safe.
 */
export function closeInTime(address: string | undefined, close: () => Promise<void>): () => Promise<void> {
  return address === undefined ? close : () => resolveWithin(closeWithinMs, close());
}

/** Where a store is, for people: the end of a sentence with `in`. Never a password. */
export function describePlaces(settings: StoreSettings, opened: DataFolder | undefined): string {
  const { dataFolder, items, blobs } = settings;
  if (settings.memory) return 'memory (lost when the server stops)';
  const folder = opened?.path ?? resolve(dataFolder);
  if (items === undefined && blobs === undefined) return folder;
  const rows = items === undefined ? join(folder, 'rows') : shownAddress(items);
  const bytes = blobs === undefined ? join(folder, 'blobs') : shownAddress(blobs);
  return `${rows} (rows) and ${bytes} (bytes)`;
}

/** The parts of the data folder that these settings need. A server that needs none creates no folder. */
function folderParts(settings: StoreSettings): readonly FolderPart[] {
  if (settings.memory) return [];
  const parts: FolderPart[] = [];
  if (settings.items === undefined) parts.push('rows');
  if (settings.blobs === undefined) parts.push('blobs');
  if (settings.https && settings.tlsCert === undefined) parts.push('tls');
  return parts;
}

function blobsAddress(settings: StoreSettings, folder: DataFolder | undefined): string {
  return settings.memory ? memoryAddress : (settings.blobs ?? folder?.blobs ?? memoryAddress);
}

/**
 * Rows that other servers share. Every call ends in time, even if the network does not answer. Those who read at one moment
 * wait for each other before.
 */
async function openRemoteRows(options: OpenOptions): Promise<ItemStore> {
  return withTurns(withDeadline(await openItems(options), answerWithinMs));
}

/**
 * Opens rows that no other process uses. Rows are created only in a store that never had any: if rows were lost, an
 * empty item store in their place would make every blob an orphan.
 */
async function openOrCreateRows(
  settings: StoreSettings,
  folder: DataFolder | undefined,
  blobs: BlobStore,
  callbacks: Pick<RowsOptions, 'onGroup' | 'onDamage' | 'onLoss'>,
): Promise<ItemStore> {
  if (folder === undefined)
    return await openItems({ address: memoryAddress, variables: {}, create: true, ...callbacks });
  const opening = { acceptDamage: settings.acceptDamagedRows, checksWhileOpen: true, ...callbacks };
  try {
    return await openFolderRows(folder, { create: false, ...opening });
  } catch (cause) {
    if (!(cause instanceof StoreMissing)) throw cause;
    if ((await readIdentity(folder)) !== undefined) throw rowsLost(folder, 'is empty', cause);
    if (!(await holdsBlobs(blobs))) return await openFolderRows(folder, { create: true, ...opening });
    throw settings.blobs === undefined
      ? rowsLost(folder, 'is empty', cause)
      : await mismatchOf(settings, blobs);
  }
}

/**
 * Undamaged rows that had an identity and have none lost everything: their log was emptied before it became a table. Of
 * damaged ones that are accepted, only the identity may be lost.
 */
async function refuseLostRows(folder: DataFolder, items: ItemStore): Promise<void> {
  if ((await readIdentity(folder)) !== undefined && !(await hasIdentity(items)))
    throw rowsLost(folder, 'has none');
}

/** The error for a data folder that had rows, and has none any more. */
export function rowsLost(folder: DataFolder, how: 'is empty' | 'has none', cause?: unknown): OperatorError {
  return new OperatorError(
    `The rows of the store in ${folder.path} are missing: ${folder.rows} ${how}. Mount or restore them.` +
      ' The server does not start without them, because it would delete every file as garbage' +
      ' (to begin anew, choose another data folder)',
    { cause },
  );
}
