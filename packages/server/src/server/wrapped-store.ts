import type { BlobStore } from '../engines/blob-store.js';
import type { FrozenRows, ItemStore, Snapshot } from '../engines/item-store.js';
import type { Store } from '../engines/store.js';
import { type CallObserver, observeCall, observeList } from './call-observer.js';

/** What a call of the item store does. */
export type RowOperation =
  | 'get'
  | 'write'
  | 'list'
  | 'read'
  | 'due'
  | 'snapshot'
  | 'freeze'
  | 'verify'
  | 'ready'
  | 'size';
/** What a call of the blob store does. */
export type BlobOperation = 'write' | 'read' | 'delete' | 'list';

/** Gives what observes an operation. It is asked once for each, when a store is wrapped. */
export interface StoreObservers<Begun> {
  rows(operation: RowOperation): CallObserver<Begun>;
  blobs(operation: BlobOperation): CallObserver<Begun>;
}

/** Every member of a contract, also those that an engine need not have: the compiler finds one that is forgotten. */
type Whole<Contract> = { readonly [Member in keyof Required<Contract>]: Contract[Member] };

/**
 * A store that behaves like the given one, and whose calls are observed. A get that finds its row in memory stays without a
 * promise.
 */
export function wrapStore<Begun>({ items, blobs }: Store, observers: StoreObservers<Begun>): Store {
  return { items: wrapItems(items, observers), blobs: wrapBlobs(blobs, observers) };
}

function wrapItems<Begun>(items: ItemStore, observers: StoreObservers<Begun>): Whole<ItemStore> {
  const gets = observers.rows('get');
  const write = observers.rows('write');
  const list = observers.rows('list');
  const due = observers.rows('due');
  const size = observers.rows('size');
  const ready = observers.rows('ready');
  const verify = observers.rows('verify');
  const freeze = observers.rows('freeze');
  const snapshot = observers.rows('snapshot');
  const read = observers.rows('read');

  const frozenRows = (rows: FrozenRows): Whole<FrozenRows> => ({
    get: wrapGet(rows, gets),
    scan: (space, range) => observeList(list, rows.scan(space, range)),
    spaces: (prefix, range) => observeList(list, rows.spaces(prefix, range)),
    close: () => rows.close(),
  });
  const openSnapshot = (rows: Snapshot): Whole<Snapshot> => ({
    keys: (range) => observeList(list, rows.keys(range)),
    scan: (range) => observeList(list, rows.scan(range)),
    scanText: (range) => observeList(list, rows.scanText(range)),
    texts: (keys) => observeCall(read, read.begin(), rows.texts(keys)),
    counts: (range) => observeList(list, rows.counts(range)),
    dueKeys: (beforeSeconds, limit) => observeCall(due, due.begin(), rows.dueKeys(beforeSeconds, limit)),
    close: () => rows.close(),
  });

  return {
    isShared: items.isShared,
    get: wrapGet(items, gets),
    transact(space, keys, decide, options) {
      const begun = write.begin();
      if (write.decided === undefined || begun === undefined)
        return observeCall(write, begun, items.transact(space, keys, decide, options));
      const decided: typeof decide = (rows) => {
        write.decided?.(begun);
        return decide(rows);
      };
      return observeCall(write, begun, items.transact(space, keys, decided, options));
    },
    transactAcross:
      items.transactAcross &&
      ((space, keys, second, decide) => {
        const begun = write.begin();
        const decided: typeof decide = (rows, others) => {
          if (begun !== undefined) write.decided?.(begun);
          return decide(rows, others);
        };
        return observeCall(write, begun, items.transactAcross!(space, keys, second, decided));
      }),
    scan: (space, range) => observeList(list, items.scan(space, range)),
    scanText: (space, range) => observeList(list, items.scanText(space, range)),
    snapshot: async (space, options) =>
      openSnapshot(await observeCall(snapshot, snapshot.begin(), items.snapshot(space, options))),
    momentsAtOnce: items.momentsAtOnce,
    rowsSync: items.rowsSync,
    freeze:
      items.freeze && (async () => frozenRows(await observeCall(freeze, freeze.begin(), items.freeze!()))),
    spaces: (prefix, range) => observeList(list, items.spaces(prefix, range)),
    firstRows: (spaces, range) => observeCall(list, list.begin(), items.firstRows(spaces, range)),
    due: (beforeSeconds, limit) => observeCall(due, due.begin(), items.due(beforeSeconds, limit)),
    nowMs: items.nowMs,
    verify: items.verify && ((pace) => observeList(verify, items.verify!(pace))),
    reads: items.reads,
    ready: items.ready && (() => observeCall(ready, ready.begin(), items.ready!())),
    refusal: items.refusal,
    keepChanges: items.keepChanges,
    cache: items.cache,
    storedBytes: items.storedBytes && (() => observeCall(size, size.begin(), items.storedBytes!())),
    shrink: items.shrink,
    close: () => items.close(),
  };
}

function wrapBlobs<Begun>(blobs: BlobStore, observers: StoreObservers<Begun>): Whole<BlobStore> {
  const write = observers.blobs('write');
  const read = observers.blobs('read');
  const remove = observers.blobs('delete');
  const list = observers.blobs('list');
  return {
    keptByWrite: blobs.keptByWrite,
    replaces: blobs.replaces,
    write: (id, chunks) => observeCall(write, write.begin(), blobs.write(id, chunks)),
    writeUnlessThere:
      blobs.writeUnlessThere &&
      ((id, bytes) => observeCall(write, write.begin(), blobs.writeUnlessThere!(id, bytes))),
    add: (chunks) => observeCall(write, write.begin(), blobs.add(chunks)),
    read: (id, range) => observeList(read, blobs.read(id, range)),
    readWhole: (id, sizeBytes) => observeCall(read, read.begin(), blobs.readWhole(id, sizeBytes)),
    delete: (ids) => observeCall(remove, remove.begin(), blobs.delete(ids)),
    ids: () => observeList(list, blobs.ids()),
    // It reads a small blob.
    ready: blobs.ready && (() => observeCall(read, read.begin(), blobs.ready!())),
    close: () => blobs.close(),
  };
}

function wrapGet<Begun>(rows: Pick<ItemStore, 'get'>, observer: CallObserver<Begun>): ItemStore['get'] {
  const { memory } = observer;
  return (space, key) => {
    const begun = memory?.begin();
    const row = rows.get(space, key);
    if (row instanceof Promise) return observeCall(observer, begun ?? observer.begin(), row);
    if (begun !== undefined) memory?.found(begun);
    return row;
  };
}
