import type { ItemStore, ScannedRow } from '../item-store.js';
import { StorageUnavailable } from '../storage-errors.js';

/**
 * An item store whose calls end in time, even if the engine hangs. A call that takes longer than `timeoutMs` rejects
 * with `StorageUnavailable`; a write may then be stored or not. The limit holds for each batch of a scan.
 */
export function withDeadline(items: ItemStore, timeoutMs: number): ItemStore {
  function rejectWhenLate<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new StorageUnavailable(`The rows did not answer within ${timeoutMs} ms`));
      const timer = setTimeout(late, timeoutMs);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** A batch that hangs cannot be ended from here; the engine's own limits end it. */
  async function* withDeadlines<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = source[Symbol.asyncIterator]();
    let isLate = true;
    try {
      for (;;) {
        isLate = true;
        const { done, value } = await rejectWhenLate(iterator.next());
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
      return row instanceof Promise ? rejectWhenLate(row) : row;
    },
    transact: (space, keys, decide, options) => rejectWhenLate(items.transact(space, keys, decide, options)),
    transactAcross:
      items.transactAcross &&
      ((space, keys, second, decide) => rejectWhenLate(items.transactAcross!(space, keys, second, decide))),
    scan: (space, range) => withDeadlines<readonly ScannedRow[]>(items.scan(space, range)),
    scanText: (space, range) => withDeadlines(items.scanText(space, range)),
    async snapshot(space, options) {
      const opening = items.snapshot(space, options);
      const snapshot = await rejectWhenLate(opening).catch((cause) => {
        // Nobody else would close one that is opened too late.
        opening.then((late) => late.close()).catch(() => {});
        throw cause;
      });
      return {
        keys: (range) => withDeadlines(snapshot.keys(range)),
        scan: (range) => withDeadlines(snapshot.scan(range)),
        scanText: (range) => withDeadlines(snapshot.scanText(range)),
        texts: (keys) => rejectWhenLate(snapshot.texts(keys)),
        counts: (range) => withDeadlines(snapshot.counts(range)),
        dueKeys: (beforeSeconds, limit) => rejectWhenLate(snapshot.dueKeys(beforeSeconds, limit)),
        close: () => rejectWhenLate(snapshot.close()),
      };
    },
    spaces: (prefix, range) => withDeadlines(items.spaces(prefix, range)),
    firstRows: (spaces, range) => rejectWhenLate(items.firstRows(spaces, range)),
    due: (beforeSeconds, limit) => rejectWhenLate(items.due(beforeSeconds, limit)),
    momentsAtOnce: items.momentsAtOnce,
    nowMs: items.nowMs && (() => rejectWhenLate(items.nowMs!())),
    verify: items.verify,
    ready: items.ready && (() => rejectWhenLate(items.ready!())),
    keepChanges:
      items.keepChanges &&
      (async (rules) => {
        const log = await rejectWhenLate(items.keepChanges!(rules));
        if (log === undefined) return undefined;
        const { caughtUp, soFar } = log;
        return {
          ...log,
          complete: () => rejectWhenLate(log.complete()),
          caughtUp: caughtUp && (() => rejectWhenLate(caughtUp())),
          soFar: soFar && (() => rejectWhenLate(soFar())),
        };
      }),
    close: items.close,
  };
}
