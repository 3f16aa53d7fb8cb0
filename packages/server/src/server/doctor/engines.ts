import { stat } from 'node:fs/promises';
import type { Environment, Settings } from '../../config/settings.js';
import type { ItemStore } from '../../engines/item-store.js';
import { isFolderPath, openBlobs, openItems, shownAddress } from '../../engines/registry.js';
import { probeBlobs } from '../../engines/shared/probe-blobs.js';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import { OperatorError } from '../../operator-error.js';
import { keysSpace } from '../../spaces.js';
import { type DataFolder, DataFolderInUse, NoStore, openDataFolder } from '../../store/data-folder.js';
import { haveSameIdentity } from '../../store/identity.js';
import { openFolderRows } from '../../store/open-store.js';
import { type Finding, failed, ok } from './finding.js';

const calls = 20;
const startAdvice = 'See "The server does not start" in docs/operations.md.';

/**
 * Whether rows and bytes can be opened and read, how long a read takes, and whether they are a pair. Changes and
 * creates nothing.
 */
export async function engines(settings: Settings, environment: Environment): Promise<readonly Finding[]> {
  const { items: itemsAddress, blobs: blobsAddress } = settings;
  const findings: Finding[] = [];
  const note = (finding: Finding) => findings.push(finding);
  const items =
    itemsAddress === undefined
      ? await finding('rows', note, () => folderRows(settings, note))
      : await finding('rows', note, async () => {
          const opened = await openItems({ address: itemsAddress, variables: environment, create: false });
          const ms = await medianMs(async () => await opened.get(keysSpace, 'ready'));
          note(ok('rows', `${shownAddress(itemsAddress)}: a read takes ${ms} ms`));
          return opened;
        });
  try {
    await finding('bytes', note, async () => {
      const address = blobsAddress ?? (await existingFolder(settings))?.blobs;
      if (address === undefined) return;
      if (isFolderPath(address) && (await stat(address).catch(() => undefined)) === undefined) {
        note(ok('bytes', `${address} is not there yet: the first start makes it`));
        return;
      }
      const blobs = await openBlobs({ address, variables: environment, create: false });
      try {
        const ms = await medianMs(() => probeBlobs(blobs));
        note(ok('bytes', `${shownAddress(address)}: a read takes ${ms} ms`));
        if (items !== undefined && !(await haveSameIdentity(items, blobs))) {
          note(
            failed('pair', 'the bytes belong to other rows', 'Give the --items and --blobs of one store.'),
          );
        }
      } finally {
        await blobs.close();
      }
    });
  } finally {
    await items?.close();
  }
  return findings;
}

async function folderRows(
  settings: Settings,
  note: (finding: Finding) => void,
): Promise<ItemStore | undefined> {
  const folder = await existingFolder(settings);
  if (folder === undefined) {
    note(ok('rows', 'no store yet: the first start makes one'));
    return undefined;
  }
  try {
    const items = await openFolderRows(folder, { create: false, acceptDamage: false });
    note(ok('rows', `${folder.rows} can be opened`));
    return items;
  } catch (cause) {
    if (!(cause instanceof DataFolderInUse)) throw cause;
    note(ok('rows', `${folder.path} is in use by a running server or command`));
    return undefined;
  }
}

async function existingFolder(settings: Settings): Promise<DataFolder | undefined> {
  try {
    return await openDataFolder(settings.dataFolder, { parts: [], create: 'never' });
  } catch (cause) {
    if (cause instanceof NoStore) return undefined;
    throw cause;
  }
}

/** Runs a part; what the operator can correct becomes a finding. */
async function finding<T>(
  subject: string,
  note: (finding: Finding) => void,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof OperatorError || cause instanceof StorageUnavailable)) throw cause;
    note(failed(subject, cause.message, startAdvice));
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
