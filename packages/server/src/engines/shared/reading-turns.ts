import { createFairSemaphores, createSharedSemaphores } from '../../lib/concurrency/semaphore.js';
import type { ItemStore, ScanRange } from '../item-store.js';
import { StorageUnavailable } from '../storage-errors.js';
import { ownerOf } from './space-owner.js';

/** Every reader should end by itself. If one hangs, those who wait for it fail after this time. */
const waitMs = 120_000;

/**
 * An item store in which at most `momentsAtOnce` snapshots are open at once. All other readers wait until one of them is
 * closed, without a connection, and the owners of their spaces take turns. Long readers leave one turn to all others, if
 * there is more than one. Long readers of one owner leave another one to those of other owners. Put it over `withDeadline`:
 * a wait for others is no sign that the storage hangs.
 */
export function withTurns(items: ItemStore): ItemStore {
  if (items.momentsAtOnce === undefined) return items;
  const turns = createTurns(items.momentsAtOnce);

  async function* inTurn<Row>(batches: () => AsyncIterable<Row>, space: string, { isLong }: ScanRange) {
    const end = await turns.take(ownerOf(space), isLong);
    let hasBegun = false;
    try {
      for await (const batch of batches()) {
        hasBegun = true;
        yield batch;
      }
    } catch (cause) {
      if (!hasBegun) turns.fail(cause);
      throw cause;
    } finally {
      end();
    }
  }

  return {
    ...items,
    scan(space, range = {}) {
      const batches = () => items.scan(space, range);
      return range.isOneBatch ? batches() : inTurn(batches, space, range);
    },
    scanText(space, range = {}) {
      const batches = () => items.scanText(space, range);
      return range.isOneBatch ? batches() : inTurn(batches, space, range);
    },
    async snapshot(space, options = {}) {
      const end = await turns.take(ownerOf(space), options.isLong);
      try {
        const snapshot = await items.snapshot(space, options);
        return { ...snapshot, close: () => snapshot.close().finally(end) };
      } catch (cause) {
        end();
        turns.fail(cause);
        throw cause;
      }
    },
  };
}

function createTurns(atOnce: number) {
  const all = createFairSemaphores(() => atOnce);
  const long = createSharedSemaphores(Math.max(1, atOnce - 1), Math.max(1, atOnce - 2));
  const waiting = new Set<(cause: unknown) => void>();

  /** Waits for a turn. Resolves with the function that ends it. Rejects with `StorageUnavailable` after two minutes. */
  function take(owner: string, isLong = false): Promise<() => void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      const leave = () => {
        isOver = true;
        clearTimeout(timer);
        waiting.delete(fail);
      };
      const fail = (cause: unknown) => {
        leave();
        reject(cause);
      };
      const onWait = () => {
        if (isOver) return;
        waiting.add(fail);
        timer ??= setTimeout(
          () => fail(new StorageUnavailable('Too many requests read the rows at once')),
          waitMs,
        );
      };
      const turn = async () => {
        if (isOver) return;
        leave();
        await new Promise<void>((end) => resolve(end));
      };
      const begin = () => all(owner)(turn, onWait);
      void (isLong ? long(owner)(begin, onWait) : begin());
    });
  }

  return {
    take,
    /** Ends all waits if the storage does not answer. */
    fail(cause: unknown): void {
      if (cause instanceof StorageUnavailable) for (const end of [...waiting]) end(cause);
    },
  };
}
