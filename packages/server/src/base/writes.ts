import { anyone, type Client } from '../http/memory/buffer-budget.js';
import { createSharedSemaphores } from '../lib/concurrency/semaphore.js';
import { baseSpace } from '../spaces.js';
import { createDeleteAll } from './bulk/delete-all.js';
import { insertBatch, putBatch, type RefusedItem } from './bulk/store-batch.js';
import type { IndexedStore } from './indexes/writing/indexed-store.js';
import type { Item } from './items/item.js';
import type { TransactionOperation } from './transactions/transaction-operation.js';
import type { TransactionOutcome, TransactionRunner } from './transactions/transaction-runner.js';
import {
  type ItemUpdate,
  insertItem,
  putItems,
  removeItem,
  type UpdatedItem,
  updateItem,
} from './transactions/write-items.js';

/** The operations that change single items, batches of them, or all whose keys begin alike. */
export interface BaseWrites {
  /** Stores all of the items or none. An existing item is replaced (docs/http.md#put-items). */
  put(project: string, base: string, items: readonly Item[]): Promise<void>;
  /** Stores the item only if no item has its key. Resolves to false if one has (docs/http.md#insert-item). */
  insert(project: string, base: string, item: Item): Promise<boolean>;
  /**
   * Changes an existing item (docs/http.md#update-item). Resolves to undefined if there is none. Throws a 400
   * `RequestError` if the update cannot be applied, and 412 if the item does not match the update's condition.
   */
  update(
    project: string,
    base: string,
    change: ItemUpdate,
    client?: Client,
  ): Promise<UpdatedItem | undefined>;
  /** Deletes the item. It need not exist (docs/http.md#delete-item). */
  remove(project: string, base: string, key: string): Promise<void>;
  /**
   * Deletes all items whose keys begin with the prefix (docs/http.md#delete-all-items). Resolves to the number of
   * deleted items that had not expired.
   */
  removeAll(project: string, base: string, prefix: string, isAbandoned: () => boolean): Promise<number>;
  /**
   * Runs the operations one after the other: all of them or none (docs/http.md#transactions). After a failure, nothing
   * is changed. Throws a 400 `RequestError` if the items are too large together, and 429 if concurrent writes change
   * them again and again.
   */
  transact(
    project: string,
    base: string,
    operations: readonly TransactionOperation[],
    client?: Client,
  ): Promise<TransactionOutcome>;
  /**
   * Stores a batch of an import (docs/http.md#import-items): atomically, or in a base with indexes at most
   * `maxReadBatchItems` items at a time. Resolves to the items that a unique index does not allow.
   */
  putBatch(project: string, base: string, items: readonly Item[]): Promise<readonly RefusedItem[]>;
  /**
   * Stores those of at most `maxReadBatchItems` items that have new keys: atomically, unless they have many entries in
   * indexes. Resolves to the items that were not
   * stored because their key exists, or because a unique index does not allow them.
   */
  insertBatch(project: string, base: string, items: readonly Item[]): Promise<readonly RefusedItem[]>;
}

/**
 * How many batches of imports are stored at once, and how many of a project. Each has up to 1 MiB, and those that wait together
 * are synced together: beside 60 imports of one project, a put of another took 670 ms.
 */
const batchesAtOnce = 4;
const batchesOfProject = 2;
/**
 * How many large puts are stored at once, and how many of a project. Without a bound, a put of another project took 360 ms beside
 * 50 puts of 390 KB. With half as many at once, these took a third longer.
 */
const largePutsAtOnce = 8;
const largePutsOfProject = 4;
/** A put of up to so many bytes is not large: it never waits for a turn. */
const smallPutBytes = 128 * 1024;

interface WriteParts {
  readonly items: IndexedStore;
  readonly alive: (row: Buffer | undefined) => Buffer | undefined;
  readonly notedSpace: (project: string, base: string) => string;
}

export function createWrites(
  { items, alive, notedSpace }: WriteParts,
  transactions: TransactionRunner,
): BaseWrites {
  const deleteAll = createDeleteAll(items, alive);
  const batches = createSharedSemaphores(batchesAtOnce, batchesOfProject);
  const largePuts = createSharedSemaphores(largePutsAtOnce, largePutsOfProject);
  return {
    put(project, base, puts) {
      const space = notedSpace(project, base);
      if (!isLarge(puts)) return putItems(items, space, puts);
      return largePuts(project)(() => putItems(items, space, puts));
    },
    insert(project, base, item) {
      const space = notedSpace(project, base);
      if (!isLarge([item])) return insertItem(items, space, item, alive);
      return largePuts(project)(() => insertItem(items, space, item, alive));
    },
    putBatch: (project, base, batch) =>
      batches(project)(() => putBatch(items, notedSpace(project, base), batch)),
    insertBatch: (project, base, batch) =>
      batches(project)(() => insertBatch(items, notedSpace(project, base), batch, alive)),
    update: (project, base, change, client = anyone) =>
      updateItem(transactions, notedSpace(project, base), change, client),
    transact: (project, base, operations, client = anyone) =>
      transactions.run(notedSpace(project, base), operations, client),
    remove: (project, base, key) => removeItem(items, notedSpace(project, base), key),
    removeAll: (project, base, prefix, isAbandoned) =>
      deleteAll(baseSpace(project, base), prefix, isAbandoned),
  };
}

function isLarge(puts: readonly Item[]): boolean {
  let bytes = 0;
  for (const { json } of puts) bytes += json.length;
  return bytes > smallPutBytes;
}
