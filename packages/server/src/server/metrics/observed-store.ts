import type { BlobStore } from '../../engines/blob-store.js';
import type { ItemStore } from '../../engines/item-store.js';

/**
 * A get that finds its row in memory takes less time than reading the clock twice. So one of these many is timed, and
 * counts for all of them.
 */
const getsPerTiming = 16;

/** Times the calls of one operation. `beganMs` is the time of `performance.now()` at which a call began. */
export interface Stopwatch {
  /** `calls`: the number of calls that this one stands for. */
  ended(beganMs: number, calls?: number): void;
  failed(beganMs: number, cause: unknown): void;
}

/** Makes the stopwatch of an operation. It is called once for each. */
type MakeStopwatch = (operation: string) => Stopwatch;

/** An item store that behaves like `items` and whose calls are timed. */
export function observeItems(items: ItemStore, make: MakeStopwatch): ItemStore {
  const [get, write, list, due] = [make('get'), make('write'), make('list'), make('due')];
  let untimedGets = getsPerTiming;
  return {
    ...items,
    get(space, key) {
      const isTimed = ++untimedGets >= getsPerTiming;
      const beganMs = isTimed ? performance.now() : 0;
      const row = items.get(space, key);
      if (row instanceof Promise) return timed(row, isTimed ? beganMs : performance.now(), get);
      if (isTimed) {
        get.ended(beganMs, getsPerTiming);
        untimedGets = 0;
      }
      return row;
    },
    transact: (space, keys, decide) => timed(items.transact(space, keys, decide), performance.now(), write),
    scan: (space, range) => timedBatches(items.scan(space, range), list),
    scanText: (space, range) => timedBatches(items.scanText(space, range), list),
    spaces: (prefix, range) => timedBatches(items.spaces(prefix, range), list),
    firstRows: (spaces, range) => timed(items.firstRows(spaces, range), performance.now(), list),
    due: (beforeSeconds, limit) => timed(items.due(beforeSeconds, limit), performance.now(), due),
  };
}

/** A blob store that behaves like `blobs` and whose calls are timed. */
export function observeBlobs(blobs: BlobStore, make: MakeStopwatch): BlobStore {
  const [write, read, remove, list] = [make('write'), make('read'), make('delete'), make('list')];
  return {
    ...blobs,
    write: (id, chunks) => timed(blobs.write(id, chunks), performance.now(), write),
    read: (id, range) => timedBatches(blobs.read(id, range), read),
    readWhole: (id, sizeBytes) => timed(blobs.readWhole(id, sizeBytes), performance.now(), read),
    delete: (ids) => timed(blobs.delete(ids), performance.now(), remove),
    ids: () => timedBatches(blobs.ids(), list),
  };
}

function timed<T>(work: Promise<T>, beganMs: number, stopwatch: Stopwatch): Promise<T> {
  work.then(
    () => stopwatch.ended(beganMs),
    (cause) => stopwatch.failed(beganMs, cause),
  );
  return work;
}

/** Times each batch by itself: the time between two batches is the reader's. */
function timedBatches<T>(source: AsyncIterable<T>, stopwatch: Stopwatch): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        next: () => timed(iterator.next(), performance.now(), stopwatch),
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
