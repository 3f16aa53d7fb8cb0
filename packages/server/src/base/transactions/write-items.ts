import type { Change } from '../../engines/item-store.js';
import { TooMuchRead } from '../../engines/storage-errors.js';
import type { Client } from '../../http/memory/buffer-budget.js';
import { NotUnique } from '../indexes/declarations/not-unique.js';
import { EntriesTooLarge } from '../indexes/writing/entry-budget.js';
import type { IndexedStore } from '../indexes/writing/indexed-store.js';
import { tooMuchStored } from '../indexes/writing/transaction-bounds.js';
import { type Item, rowOf } from '../items/item.js';
import type { Update } from '../updates/update-body.js';
import type { Alive } from './transaction-operation.js';
import type { TransactionRunner } from './transaction-runner.js';

/**
 * Stores all of the items or none. An existing item is replaced. Throws the 409 of an item that a unique index does not
 * allow.
 */
export function putItems(items: IndexedStore, space: string, puts: readonly Item[]): Promise<void> {
  const change: Change<undefined> = { puts: puts.map(rowOf), result: undefined };
  return items
    .transact(space, [], () => change, { changed: puts.map(({ key }) => key) })
    .catch((cause) => {
      if (cause instanceof EntriesTooLarge) throw cause.at('items');
      if (cause instanceof TooMuchRead) throw tooMuchStored('items');
      if (!(cause instanceof NotUnique)) throw cause;
      const [{ key }] = cause.collisions;
      throw cause.at(`items[${puts.findIndex((item) => item.key === key)}]`);
    });
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

export interface ItemUpdate {
  readonly key: string;
  readonly update: Update;
}

/** An item that was changed. */
export interface UpdatedItem {
  /** What the update gives back; undefined if it asks for nothing, or if nothing was there before. */
  readonly item: Buffer | undefined;
}

/** Changes an item. Resolves to undefined if there is none. */
export async function updateItem(
  transactions: TransactionRunner,
  space: string,
  { key, update }: ItemUpdate,
  client: Client,
): Promise<UpdatedItem | undefined> {
  const { failure, items } = await transactions.run(space, [{ kind: 'update', key, update }], client);
  if (failure === undefined) return { item: items.get(0) };
  if (failure.error.status === 404) return undefined;
  throw failure.error;
}

/** Deletes the item. It need not exist. */
export function removeItem(items: IndexedStore, space: string, key: string): Promise<void> {
  const change: Change<undefined> = { deletes: [key], result: undefined };
  return items.transact(space, [], () => change, { changed: [key] });
}
