import type { Change } from '../../engines/item-store.js';
import type { Client } from '../../http/memory/buffer-budget.js';
import type { IndexedStore } from '../indexes/indexed-store.js';
import type { Item } from '../items/item.js';
import { rowOf } from '../items/item-row.js';
import type { Update } from '../updates/update-body.js';
import type { Alive } from './transaction-operation.js';
import type { TransactionRunner } from './transaction-runner.js';

/** Stores all of the items or none. An existing item is replaced. */
export function putItems(items: IndexedStore, space: string, puts: readonly Item[]): Promise<void> {
  const change: Change<undefined> = { puts: puts.map(rowOf), result: undefined };
  return items.transact(space, [], () => change, puts.map(keyOf));
}

function keyOf({ key }: Item): string {
  return key;
}

/** Stores the item only if no item has its key. Resolves to false if one has. */
export function insertItem(items: IndexedStore, space: string, item: Item, alive: Alive): Promise<boolean> {
  return items.transact(
    space,
    [item.key],
    ([row]): Change<boolean> =>
      alive(row) === undefined ? { puts: [rowOf(item)], result: true } : { result: false },
  );
}

/** Changes an existing item. Resolves to false if there is none. */
export async function updateItem(
  transactions: TransactionRunner,
  space: string,
  { key, update }: { readonly key: string; readonly update: Update },
  client: Client,
): Promise<boolean> {
  const failure = await transactions.run(space, [{ kind: 'update', key, update }], client);
  if (failure === undefined) return true;
  if (failure.error.status === 404) return false;
  throw failure.error;
}

/** Deletes the item. It need not exist. */
export function removeItem(items: IndexedStore, space: string, key: string): Promise<void> {
  const change: Change<undefined> = { deletes: [key], result: undefined };
  return items.transact(space, [], () => change, [key]);
}

/** Deletes the row of an expired item, unless the item was put again in the meantime. */
export function removeExpired(items: IndexedStore, space: string, key: string, alive: Alive): Promise<void> {
  return items.transact(space, [key], ([row]) => ({
    deletes: row !== undefined && alive(row) === undefined ? [key] : [],
    result: undefined,
  }));
}
