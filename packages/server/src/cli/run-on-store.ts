import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../config/settings.js';
import type { ItemStore } from '../engines/item-store.js';
import { openItems } from '../engines/registry.js';
import { rowsLostText, StoreMissing } from '../engines/storage-errors.js';
import type { Store } from '../engines/store.js';
import { OperatorError } from '../operator-error.js';
import { changeStandby, refuseIncompleteCopy } from '../store/copy/copy-marker.js';
import {
  type DataFolder,
  DataFolderInUse,
  openDataFolder,
  StoreOfAnotherUser,
} from '../store/data-folder.js';
import { haveSameIdentity } from '../store/identity.js';
import {
  identityMismatch,
  openExistingBlobs,
  openFolderRows,
  type StoreSettings,
} from '../store/open-store.js';
import type { Terminal } from './terminal.js';

/** The settings of the command line that say which store a command works on. */
export const storeSettingNames = ['dataFolder', 'items', 'blobs', 'acceptDamagedRows'] as const;

const waitForServerMs = 5000;
const retryMs = 50;

export interface Ways<T> {
  /** Through the server that has the data folder; gives undefined when no server listens. */
  readonly viaServer: (folder: DataFolder) => Promise<{ readonly result: T } | undefined>;
  /** On the rows themselves, which are open until it resolves. `folder` is undefined for rows in a database. */
  readonly directly: (items: ItemStore, folder: DataFolder | undefined) => Promise<T>;
}

/**
 * Runs a command on the rows of an existing store. Rows in a database are shared, so the command works on them
 * directly, whether servers run or not. Rows in a data folder belong to one process, so the command asks the server
 * that has the folder or, when none runs, opens the rows itself. A server that is starting or stopping has the folder
 * but no socket yet: the command waits for it. A warning says what is lost of damaged rows that are accepted. Throws
 * `OperatorError` when there is no store, or only half a copy.
 */
export async function runOnStore<T>(
  settings: Pick<StoreSettings, 'dataFolder' | 'items' | 'acceptDamagedRows'>,
  { environment, err }: Pick<Terminal, 'environment' | 'err'>,
  { viaServer, directly }: Ways<T>,
): Promise<T> {
  const { items: address } = settings;
  if (address !== undefined) {
    const items = await openItems({ address, variables: environment, create: false });
    return await onWhole(items, () => directly(items, undefined));
  }
  const folder = await openDataFolder(settings.dataFolder, { parts: [], create: 'never' });
  const giveUpMs = performance.now() + waitForServerMs;
  for (;;) {
    const answer = await viaServer(folder);
    if (answer !== undefined) return answer.result;
    try {
      let hasLost = false;
      const items = await openFolderRows(folder, {
        create: false,
        acceptDamage: settings.acceptDamagedRows,
        onLoss: (damage) => {
          hasLost = true;
          err(`basedrive: warning: ${rowsLostText(damage)}`);
        },
      });
      return await onWhole(items, async () => {
        if (hasLost) await changeStandby(items);
        return await directly(items, folder);
      });
    } catch (cause) {
      if (cause instanceof StoreMissing) {
        throw new OperatorError(`There are no rows in ${folder.path}`, { cause });
      }
      const mayPass = cause instanceof DataFolderInUse || cause instanceof StoreOfAnotherUser;
      if (!mayPass || performance.now() > giveUpMs) throw cause;
      await wait(retryMs);
    }
  }
}

/** Opens the blobs of open rows for `work`. Throws `OperatorError`, also if they belong to other rows. */
export async function withStore<T>(
  settings: Pick<StoreSettings, 'dataFolder' | 'blobs'>,
  environment: Environment,
  items: ItemStore,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const blobs = await openExistingBlobs(settings, environment);
  try {
    if (!(await haveSameIdentity(items, blobs))) throw identityMismatch(settings);
    return await work({ items, blobs });
  } finally {
    await blobs.close();
  }
}

/** Half a copy would look like a whole store: `check` would find nothing wrong, and `export` would lack the rest. */
async function onWhole<T>(items: ItemStore, work: () => Promise<T>): Promise<T> {
  try {
    await refuseIncompleteCopy(items);
    return await work();
  } finally {
    await items.close();
  }
}
