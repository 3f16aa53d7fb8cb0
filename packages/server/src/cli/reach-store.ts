import { setTimeout as wait } from 'node:timers/promises';
import type { ItemStore } from '../engines/item-store.js';
import { openItems } from '../engines/registry.js';
import { type DataFolder, DataFolderInUse, openDataFolder } from '../store/data-folder.js';
import type { Places } from '../store/open-store.js';

const waitForServerMs = 5000;
const tryAgainMs = 50;

export interface Ways<T> {
  /** Through the server that has the folder; undefined when none listens. */
  readonly remote: (folder: DataFolder) => Promise<{ readonly result: T } | undefined>;
  /** On the rows themselves, which are open for so long. */
  readonly alone: (items: ItemStore) => Promise<T>;
}

/**
 * Does something to the rows. Those of a database are shared, so it is done to them, whichever servers run. Those of
 * a data folder belong to one process: it is done through the server that has the folder or, when none runs, by
 * this process. A server that is only starting or stopping has the folder but not the socket: that is waited for.
 */
export async function reach<T>(
  places: Pick<Places, 'dataFolder' | 'items'>,
  { remote, alone }: Ways<T>,
): Promise<T> {
  const url = places.items;
  if (url !== undefined) return await use(await openItems({ url, folder: undefined }), alone);
  const folder = await openDataFolder(places.dataFolder, ['rows']);
  const giveUpMs = performance.now() + waitForServerMs;
  for (;;) {
    const answer = await remote(folder);
    if (answer !== undefined) return answer.result;
    try {
      return await use(await openItems({ url, folder }), alone);
    } catch (cause) {
      if (!(cause instanceof DataFolderInUse) || performance.now() > giveUpMs) throw cause;
      await wait(tryAgainMs);
    }
  }
}

async function use<T>(items: ItemStore, work: (items: ItemStore) => Promise<T>): Promise<T> {
  try {
    return await work(items);
  } finally {
    await items.close();
  }
}
