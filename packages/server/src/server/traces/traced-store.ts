import type { BlobStore } from '../../engines/blob-store.js';
import type { ItemStore } from '../../engines/item-store.js';
import type { RequestSpans, WorkSpan } from './request-spans.js';

type Begin = RequestSpans['begin'];

/** An item store that behaves like `items`, and whose calls are spans. A get that finds its row in memory is none. */
export function traceItems(items: ItemStore, begin: Begin): ItemStore {
  return {
    ...items,
    get(space, key) {
      const row = items.get(space, key);
      return row instanceof Promise ? traced(row, begin('rows get')) : row;
    },
    transact(space, keys, decide) {
      const span = begin('rows write');
      if (span === undefined) return items.transact(space, keys, decide);
      // It waits for the group commit in progress, and for its rows. A decide that is called again waits no more.
      const wait = begin('rows write: wait for commit');
      let isWaiting = true;
      const endWait = () => {
        if (isWaiting) wait?.end();
        isWaiting = false;
      };
      const decided: typeof decide = (rows) => {
        endWait();
        return decide(rows);
      };
      return traced(items.transact(space, keys, decided), {
        ...span,
        end(cause) {
          endWait();
          span.end(cause);
        },
      });
    },
    scan: (space, range) => tracedBatches(items.scan(space, range), begin('rows list')),
    scanText: (space, range) => tracedBatches(items.scanText(space, range), begin('rows list')),
    async snapshot(space) {
      const snapshot = await items.snapshot(space);
      return {
        ...snapshot,
        scan: (range) => tracedBatches(snapshot.scan(range), begin('rows list')),
        scanText: (range) => tracedBatches(snapshot.scanText(range), begin('rows list')),
      };
    },
    spaces: (prefix, range) => tracedBatches(items.spaces(prefix, range), begin('rows list')),
    firstRows: (spaces, range) => traced(items.firstRows(spaces, range), begin('rows list')),
  };
}

/** A blob store that behaves like `blobs`, and whose calls are spans. */
export function traceBlobs(blobs: BlobStore, begin: Begin): BlobStore {
  return {
    ...blobs,
    write: (id, chunks) => traced(blobs.write(id, chunks), begin('blobs write')),
    read: (id, range) => tracedBatches(blobs.read(id, range), begin('blobs read')),
    readWhole: (id, sizeBytes) => traced(blobs.readWhole(id, sizeBytes), begin('blobs read')),
    delete: (ids) => traced(blobs.delete(ids), begin('blobs delete')),
  };
}

function traced<T>(work: Promise<T>, span: WorkSpan | undefined): Promise<T> {
  if (span !== undefined) {
    work.then(
      () => span.end(),
      (cause) => span.end(cause),
    );
  }
  return work;
}

/**
 * One span for all batches, from the call to the end. It includes the time of the reader between two batches, so it
 * also has the time for which the store was busy.
 */
function tracedBatches<T>(source: AsyncIterable<T>, span: WorkSpan | undefined): AsyncIterable<T> {
  if (span === undefined) return source;
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      let batches = 0;
      let busyMs = 0;
      let hasEnded = false;
      const end = (cause?: unknown) => {
        if (hasEnded) return;
        hasEnded = true;
        span.set('basedrive.batches', batches);
        span.set('basedrive.busy_ms', Math.round(busyMs * 1000) / 1000);
        span.end(cause);
      };
      return {
        async next() {
          const beganMs = performance.now();
          try {
            const step = await iterator.next();
            busyMs += performance.now() - beganMs;
            if (step.done) end();
            else batches++;
            return step;
          } catch (cause) {
            end(cause);
            throw cause;
          }
        },
        async return() {
          end();
          return (await iterator.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}
