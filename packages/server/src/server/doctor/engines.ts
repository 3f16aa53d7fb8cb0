import { stat } from 'node:fs/promises';
import type { Environment, Settings } from '../../config/settings.js';
import type { ItemStore } from '../../engines/item-store.js';
import {
  examineBlobs,
  examineItems,
  isFolderPath,
  openAdvice,
  openBlobs,
  openItems,
  shownAddress,
} from '../../engines/registry.js';
import { probeBlobs } from '../../engines/shared/probe-blobs.js';
import { StorageUnavailable, StoreMissing } from '../../engines/storage-errors.js';
import { type Finding, failed, ok } from '../../lib/finding.js';
import { OperatorError } from '../../operator-error.js';
import { keysSpace } from '../../spaces.js';
import {
  type DataFolder,
  DataFolderInUse,
  NoStore,
  openDataFolder,
  readIdentity,
} from '../../store/data-folder.js';
import { haveSameIdentity } from '../../store/identity.js';
import { openFolderRows, rowsLost } from '../../store/open-store.js';
import { projectsOfServer } from '../control/project-operations.js';
import { standbysOf } from '../control/standby-operation.js';
import { standbyRows, standbysInFolder } from './standbys.js';

const calls = 20;
const startAdvice = 'See "The server does not start" in docs/operations.md.';

/**
 * Whether rows and bytes can be opened and read, how long a read takes, and whether they are a pair. Changes and
 * creates nothing.
 */
export async function engines(settings: Settings, environment: Environment): Promise<readonly Finding[]> {
  const { items: itemsAddress, blobs: blobsAddress } = settings;
  const findings: Finding[] = [];
  const note: Note = (finding) => findings.push(finding);
  const items =
    itemsAddress === undefined
      ? await finding('rows', note, () => folderRows(settings, note))
      : await finding('rows', note, () => remoteRows(itemsAddress, environment, note), itemsAddress);
  try {
    const readBytes = async () => {
      const address = blobsAddress ?? (await existingFolder(settings))?.blobs;
      if (address !== undefined) await bytes(address, { environment, items, note });
    };
    await finding('bytes', note, readBytes, blobsAddress);
    if (items !== undefined) for (const found of await standbyRows(items, Date.now())) note(found);
  } finally {
    await items?.close();
  }
  return findings;
}

type Note = (finding: Finding) => void;

async function remoteRows(address: string, environment: Environment, note: Note): Promise<ItemStore> {
  // Before they are opened: the connections of this command would count as those of others.
  const examined = await examineItems(address, environment);
  const items = await openItems({ address, variables: environment, create: false });
  try {
    const ms = await medianMs(async () => await items.get(keysSpace, 'ready'));
    note(ok('rows', `${shownAddress(address)}: a read takes ${ms} ms`));
    for (const found of examined) note(found);
    return items;
  } catch (cause) {
    await items.close();
    throw cause;
  }
}

interface BytesOptions {
  readonly environment: Environment;
  /** Undefined if they could not be opened. */
  readonly items: ItemStore | undefined;
  readonly note: Note;
}

async function bytes(address: string, { environment, items, note }: BytesOptions): Promise<void> {
  if (isFolderPath(address) && (await stat(address).catch(() => undefined)) === undefined) {
    note(ok('bytes', `${address} is not there yet: the first start makes it`));
    return;
  }
  const blobs = await openBlobs({ address, variables: environment, create: false });
  try {
    const ms = await medianMs(() => probeBlobs(blobs));
    note(ok('bytes', `${shownAddress(address)}: a read takes ${ms} ms`));
    for (const found of await examineBlobs(address, environment)) note(found);
    if (items !== undefined && !(await haveSameIdentity(items, blobs))) {
      note(failed('pair', 'the bytes belong to other rows', 'Give the --items and --blobs of one store.'));
    }
  } finally {
    await blobs.close();
  }
}

async function folderRows(settings: Settings, note: Note): Promise<ItemStore | undefined> {
  const folder = await existingFolder(settings);
  if (folder === undefined) {
    note(ok('rows', 'no store yet: the first start makes one'));
    return undefined;
  }
  const inUse = async () => {
    note(ok('rows', `${folder.path} is in use by a running server or command`));
    for (const found of await standbysInFolder(settings)) note(found);
  };
  // LevelDB begins a new file `LOG` before it finds the rows in use.
  if (((await standbysOf(folder.path)) ?? (await projectsOfServer(folder.path))) !== undefined) {
    await inUse();
    return undefined;
  }
  try {
    const items = await openFolderRows(folder, { create: false, acceptDamage: false, isExamined: true });
    note(ok('rows', `${folder.rows} can be opened`));
    return items;
  } catch (cause) {
    if (cause instanceof StoreMissing) note(await noRows(folder, cause));
    else if (cause instanceof DataFolderInUse) await inUse();
    else throw cause;
    return undefined;
  }
}

/** A first start that did not come to its end leaves a folder without rows, too. */
async function noRows(folder: DataFolder, cause: StoreMissing): Promise<Finding> {
  if ((await readIdentity(folder)) === undefined)
    return ok('rows', 'no rows yet: the first start makes them');
  return failed('rows', rowsLost(folder, 'is empty', cause).message, startAdvice);
}

async function existingFolder(settings: Settings): Promise<DataFolder | undefined> {
  try {
    return await openDataFolder(settings.dataFolder, { parts: [], create: 'never' });
  } catch (cause) {
    if (cause instanceof NoStore) return undefined;
    throw cause;
  }
}

/** Runs a part; what the operator can correct becomes a finding, with the advice of the engine at `address`. */
async function finding<T>(
  subject: string,
  note: Note,
  work: () => Promise<T>,
  address?: string,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof OperatorError || cause instanceof StorageUnavailable)) throw cause;
    const advice = address === undefined ? undefined : openAdvice(address, cause);
    note(failed(subject, cause.message, advice ?? startAdvice));
    return undefined;
  }
}

async function medianMs(call: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let count = 0; count < calls; count++) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
  }
  return (times.sort((a, b) => a - b)[calls / 2] ?? 0).toFixed(1);
}
