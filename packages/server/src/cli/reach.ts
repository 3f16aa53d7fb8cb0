import { setTimeout as wait } from 'node:timers/promises';
import { type DataFolder, DataFolderInUse, openDataFolder, openRows } from '../engines/data-folder.js';
import type { ItemStore } from '../engines/item-store.js';
import { openLevelStore } from '../engines/level.js';

const waitForServerMs = 5000;
const tryAgainMs = 50;

export interface Ways<T> {
  /** Through the server that has the folder; undefined when none listens. */
  readonly remote: (folder: DataFolder) => Promise<{ readonly result: T } | undefined>;
  /** On the folder itself, whose rows are open for so long. */
  readonly alone: (folder: DataFolder, items: ItemStore) => Promise<T>;
}

/**
 * Does something to a data folder, through the server that has it or, when none runs, by itself. A server that is
 * only starting or stopping has the folder but not the socket: that is waited for.
 */
export async function reach<T>(path: string, { remote, alone }: Ways<T>): Promise<T> {
  const folder = await openDataFolder(path);
  const giveUpMs = performance.now() + waitForServerMs;
  for (;;) {
    const answer = await remote(folder);
    if (answer !== undefined) return answer.result;
    try {
      const items = await openRows(folder, openLevelStore);
      try {
        return await alone(folder, items);
      } finally {
        await items.close();
      }
    } catch (cause) {
      if (!(cause instanceof DataFolderInUse) || performance.now() > giveUpMs) throw cause;
      await wait(tryAgainMs);
    }
  }
}
