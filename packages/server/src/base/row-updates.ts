import type { Change, ItemStore, Put } from '../engines/item-store.js';
import { runAtOnce, runInSlices } from '../lib/time-slices.js';
import type { Item } from './item.js';
import { applyUpdate } from './update.js';
import type { Update } from './update-body.js';

/** Updates of items within the rows of an engine. */
export interface RowUpdates {
  /** False if there is no item. Throws a 400 `RequestError`, and then nothing is changed. */
  update(space: string, key: string, update: Update): Promise<boolean>;
}

type Outcome = 'updated' | 'missing' | { readonly row: Buffer };

interface Prepared {
  readonly row: Buffer;
  readonly item: Item;
}

/** An item of this size, changed by a body of this size, is changed within its transaction: some 0.5 ms at most. */
const quickBytes = 16 * 1024;
/** After so many other writes of the same item in between, a large update is applied within its transaction, too. */
const maxTries = 8;

/**
 * A transaction decides at once, and blocks all others meanwhile. So a small item is changed within its transaction. A
 * large one is read, changed in slices, and then replaced if it is still the same; large updates of one item wait for
 * each other, so that they do not do their work in vain.
 */
export function createRowUpdates(
  items: ItemStore,
  alive: (row: Buffer | undefined) => Buffer | undefined,
  rowOf: (item: Item) => Put,
): RowUpdates {
  const queues = new Map<string, Promise<unknown>>();

  async function inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = queues.get(id);
    const own = before === undefined ? work() : before.then(work, work);
    queues.set(id, own);
    try {
      return await own;
    } finally {
      if (queues.get(id) === own) queues.delete(id);
    }
  }

  return {
    async update(space, key, update) {
      const attempt = (prepared?: Prepared, isLastTry = false) =>
        items.transact(space, [key], ([row]): Change<Outcome> => {
          const stored = alive(row);
          if (stored === undefined) return { result: 'missing' };
          if (prepared !== undefined && stored.equals(prepared.row)) {
            return { puts: [rowOf(prepared.item)], result: 'updated' };
          }
          const isQuick = stored.length + update.bodyBytes <= quickBytes;
          if (!isQuick && !isLastTry) return { result: { row: stored } };
          return { puts: [rowOf(runAtOnce(applyUpdate(stored, update)))], result: 'updated' };
        });

      async function changeLarge(): Promise<boolean> {
        let outcome = await attempt();
        for (let tries = 1; typeof outcome !== 'string'; tries++) {
          const { row } = outcome;
          const item = await runInSlices(applyUpdate(row, update));
          outcome = await attempt({ row, item }, tries >= maxTries);
        }
        return outcome === 'updated';
      }

      const outcome = await attempt();
      if (typeof outcome === 'string') return outcome === 'updated';
      return inTurn(`${space}\0${key}`, changeLarge);
    },
  };
}
