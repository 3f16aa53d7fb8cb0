import type { Change, Put } from '../../engines/item-store.js';
import type { IndexedStore } from '../indexes/indexed-store.js';
import type { Item } from '../items/item.js';
import { rowOf } from '../items/item-row.js';
import { maxReadBatchItems } from '../limits.js';
import type { Alive } from '../transactions/transaction-operation.js';

/** Stores a batch of an import: atomically, or in a base with indexes `maxReadBatchItems` items at a time. */
export async function putBatch(items: IndexedStore, space: string, batch: readonly Item[]): Promise<void> {
  const size = items.hasIndexes(space) ? maxReadBatchItems : batch.length;
  for (let start = 0; start < batch.length; start += size) {
    // A transaction may name a key only once. If several items have the same key, the last one is stored.
    const puts = new Map<string, Put>();
    for (const item of batch.slice(start, start + size)) puts.set(item.key, rowOf(item));
    const change: Change<undefined> = { puts: [...puts.values()], result: undefined };
    await items.transact(space, [], () => change, puts.keys());
  }
}

/**
 * Stores those items that have new keys, atomically. Resolves to the indexes of the items that were not stored because
 * their key exists.
 */
export function insertBatch(
  items: IndexedStore,
  space: string,
  batch: readonly Item[],
  alive: Alive,
): Promise<readonly number[]> {
  const keys = [...new Set(batch.map(({ key }) => key))];
  return items.transact(space, keys, (rows): Change<number[]> => {
    const present = new Map(keys.map((key, index) => [key, alive(rows[index])]));
    const puts = new Map<string, Put>();
    const existing: number[] = [];
    for (const [index, item] of batch.entries()) {
      if (present.get(item.key) !== undefined) existing.push(index);
      else {
        puts.set(item.key, rowOf(item));
        present.set(item.key, alive(item.json));
      }
    }
    return { puts: [...puts.values()], result: existing };
  });
}
