import type { ItemStore, ScannedRow } from '../item-store.js';
import { StorageUnavailable } from '../storage-errors.js';

/**
 * A row engine whose calls end in time, whatever hangs within it: rejects with `StorageUnavailable` when one takes
 * longer than `withinMs`. A write may then have been taken or not. Of a scan, each batch has that time.
 */
export function withDeadline(items: ItemStore, withinMs: number): ItemStore {
  function inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new StorageUnavailable(`The rows did not answer within ${withinMs} ms`));
      const timer = setTimeout(late, withinMs);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** What hangs cannot be ended from here: the engine ends it, or its own limits do. */
  async function* eachInTime<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = source[Symbol.asyncIterator]();
    let isLate = true;
    try {
      for (;;) {
        isLate = true;
        const { done, value } = await inTime(iterator.next());
        isLate = false;
        if (done) return;
        yield value;
      }
    } finally {
      const ended = iterator.return?.();
      if (!isLate) await ended;
      else ended?.catch(() => {});
    }
  }

  return {
    isShared: items.isShared,
    get(space, key) {
      const row = items.get(space, key);
      return row instanceof Promise ? inTime(row) : row;
    },
    transact: (space, keys, decide) => inTime(items.transact(space, keys, decide)),
    scan: (space, range) => eachInTime<readonly ScannedRow[]>(items.scan(space, range)),
    scanText: (space, range) => eachInTime(items.scanText(space, range)),
    spaces: (prefix, after) => eachInTime(items.spaces(prefix, after)),
    due: (beforeSeconds, limit) => inTime(items.due(beforeSeconds, limit)),
    verify: items.verify,
    close: items.close,
  };
}
