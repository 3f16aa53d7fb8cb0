import type { BlobStore } from '../engines/blob-store.js';
import type { FrozenRows, ItemStore, Snapshot } from '../engines/item-store.js';
import type { Store } from '../engines/store.js';
import { type Around, batches, call } from './around.js';

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
export interface AroundStore<Begun> {
  rows(operation: RowOperation): Around<Begun>;
  blobs(operation: BlobOperation): Around<Begun>;
}

/** Every member of a contract, also those that an engine need not have: the compiler finds one that is forgotten. */
type Whole<Contract> = { readonly [Member in keyof Required<Contract>]: Contract[Member] };

/**
 * A store that behaves like the given one, and whose calls are observed. A get that finds its row in memory stays without a
 * promise.
 */
export function wrapStore<Begun>({ items, blobs }: Store, around: AroundStore<Begun>): Store {
  return { items: wrapItems(items, around), blobs: wrapBlobs(blobs, around) };
}

function wrapItems<Begun>(items: ItemStore, around: AroundStore<Begun>): Whole<ItemStore> {
  const gets = around.rows('get');
  const write = around.rows('write');
  const list = around.rows('list');
  const due = around.rows('due');
  const size = around.rows('size');
  const ready = around.rows('ready');
  const verify = around.rows('verify');
  const freeze = around.rows('freeze');
  const snapshot = around.rows('snapshot');
  const read = around.rows('read');

  const frozenRows = (rows: FrozenRows): Whole<FrozenRows> => ({
    get: wrapGet(rows, gets),
    scan: (space, range) => batches(list, rows.scan(space, range)),
    spaces: (prefix, range) => batches(list, rows.spaces(prefix, range)),
    close: () => rows.close(),
  });
  const openSnapshot = (rows: Snapshot): Whole<Snapshot> => ({
    keys: (range) => batches(list, rows.keys(range)),
    scan: (range) => batches(list, rows.scan(range)),
    scanText: (range) => batches(list, rows.scanText(range)),
    texts: (keys) => call(read, read.begin(), rows.texts(keys)),
    counts: (range) => batches(list, rows.counts(range)),
    dueKeys: (beforeSeconds, limit) => call(due, due.begin(), rows.dueKeys(beforeSeconds, limit)),
    close: () => rows.close(),
  });

  return {
    isShared: items.isShared,
    get: wrapGet(items, gets),
    transact(space, keys, decide) {
      const begun = write.begin();
      if (write.decided === undefined || begun === undefined)
        return call(write, begun, items.transact(space, keys, decide));
      const decided: typeof decide = (rows) => {
        write.decided?.(begun);
        return decide(rows);
      };
      return call(write, begun, items.transact(space, keys, decided));
    },
    transactBeside:
      items.transactBeside &&
      ((space, keys, beside, decide) => {
        const begun = write.begin();
        const decided: typeof decide = (rows, others) => {
          if (begun !== undefined) write.decided?.(begun);
          return decide(rows, others);
        };
        return call(write, begun, items.transactBeside!(space, keys, beside, decided));
      }),
    scan: (space, range) => batches(list, items.scan(space, range)),
    scanText: (space, range) => batches(list, items.scanText(space, range)),
    snapshot: async (space) => openSnapshot(await call(snapshot, snapshot.begin(), items.snapshot(space))),
    present: items.present,
    freeze: items.freeze && (async () => frozenRows(await call(freeze, freeze.begin(), items.freeze!()))),
    spaces: (prefix, range) => batches(list, items.spaces(prefix, range)),
    firstRows: (spaces, range) => call(list, list.begin(), items.firstRows(spaces, range)),
    due: (beforeSeconds, limit) => call(due, due.begin(), items.due(beforeSeconds, limit)),
    verify: items.verify && ((pace) => batches(verify, items.verify!(pace))),
    reads: items.reads,
    ready: items.ready && (() => call(ready, ready.begin(), items.ready!())),
    refusal: items.refusal,
    keepChanges: items.keepChanges,
    cache: items.cache,
    storedBytes: items.storedBytes && (() => call(size, size.begin(), items.storedBytes!())),
    shrink: items.shrink,
    close: () => items.close(),
  };
}

function wrapBlobs<Begun>(blobs: BlobStore, around: AroundStore<Begun>): Whole<BlobStore> {
  const write = around.blobs('write');
  const read = around.blobs('read');
  const remove = around.blobs('delete');
  const list = around.blobs('list');
  return {
    keptByWrite: blobs.keptByWrite,
    write: (id, chunks) => call(write, write.begin(), blobs.write(id, chunks)),
    read: (id, range) => batches(read, blobs.read(id, range)),
    readWhole: (id, sizeBytes) => call(read, read.begin(), blobs.readWhole(id, sizeBytes)),
    delete: (ids) => call(remove, remove.begin(), blobs.delete(ids)),
    ids: () => batches(list, blobs.ids()),
    close: () => blobs.close(),
  };
}

function wrapGet<Begun>(rows: Pick<ItemStore, 'get'>, around: Around<Begun>): ItemStore['get'] {
  const { memory } = around;
  return (space, key) => {
    const begun = memory?.begin();
    const row = rows.get(space, key);
    if (row instanceof Promise) return call(around, begun ?? around.begin(), row);
    if (begun !== undefined) memory?.found(begun);
    return row;
  };
}
