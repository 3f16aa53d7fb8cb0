import type { Change, Put } from '../../engines/item-store.js';
import type { RequestError } from '../../request-error.js';
import { NotUnique } from '../indexes/declarations/not-unique.js';
import type { IndexedStore } from '../indexes/writing/indexed-store.js';
import { inParts, ofPart } from '../indexes/writing/transaction-bounds.js';
import { type Item, rowOf } from '../items/item.js';
import { itemExists } from '../items/item-errors.js';
import { maxReadBatchItems } from '../limits.js';
import type { Alive } from '../transactions/transaction-operation.js';

/** An item of a batch that was not stored. */
export interface RefusedItem {
  /** Its place in the batch. */
  readonly index: number;
  readonly error: RequestError;
}

type Store = (batch: readonly Item[]) => Promise<readonly RefusedItem[]>;

/**
 * Stores a batch of an import: atomically, or in a base with indexes at most `maxReadBatchItems` items at a time, and fewer
 * if those that they replace are large. Resolves to the items that a unique index does not allow.
 */
export function putBatch(
  items: IndexedStore,
  space: string,
  batch: readonly Item[],
): Promise<readonly RefusedItem[]> {
  const size = items.hasIndexes(space) ? maxReadBatchItems : batch.length;
  return storeInParts(batch, size, async (allowed) => {
    // A transaction may name a key only once. If several items have the same key, the last one is stored.
    const puts = new Map<string, Put>();
    for (const item of allowed) puts.set(item.key, rowOf(item));
    const change: Change<undefined> = { puts: [...puts.values()], result: undefined };
    await items.transact(space, [], () => change, { ...ofPart, changed: puts.keys() });
    return [];
  });
}

/**
 * Stores those items that have new keys: atomically, unless they have many entries in indexes, or the stored items of the
 * same keys are large. Resolves to the items that were not stored because their key exists, or because a unique index
 * does not allow them.
 */
export function insertBatch(
  items: IndexedStore,
  space: string,
  batch: readonly Item[],
  alive: Alive,
): Promise<readonly RefusedItem[]> {
  return storeInParts(batch, batch.length, (allowed) => {
    const keys = [...new Set(allowed.map(({ key }) => key))];
    const decide = (rows: readonly (Buffer | undefined)[]): Change<RefusedItem[]> => {
      const present = new Map(keys.map((key, index) => [key, alive(rows[index])]));
      const puts = new Map<string, Put>();
      const existing: RefusedItem[] = [];
      for (const [index, item] of allowed.entries()) {
        if (present.get(item.key) !== undefined) existing.push({ index, error: itemExists() });
        else {
          puts.set(item.key, rowOf(item));
          present.set(item.key, alive(item.json));
        }
      }
      return { puts: [...puts.values()], result: existing };
    };
    return items.transact(space, keys, decide, ofPart);
  });
}

/** Stores a batch at most `size` items at a time, and fewer if that is too much for one transaction. */
async function storeInParts(
  batch: readonly Item[],
  size: number,
  store: Store,
): Promise<readonly RefusedItem[]> {
  const refused: RefusedItem[] = [];
  for (let start = 0; start < batch.length; start += size) {
    let before = start;
    await inParts(batch.slice(start, start + size), async (part) => {
      const found = await storeAllowed(part, store);
      for (const { index, error } of found) refused.push({ index: before + index, error });
      before += part.length;
    });
  }
  return refused;
}

/**
 * Stores a batch without the items that a unique index does not allow. Each attempt names all of them, and nothing is
 * stored until there are none.
 */
async function storeAllowed(batch: readonly Item[], store: Store): Promise<readonly RefusedItem[]> {
  let allowed = [...batch.entries()];
  const refused: RefusedItem[] = [];
  for (;;) {
    try {
      const others = await store(allowed.map(([, item]) => item));
      for (const { index, error } of others) refused.push({ index: allowed[index]?.[0] as number, error });
      return refused.sort((a, b) => a.index - b.index);
    } catch (cause) {
      if (!(cause instanceof NotUnique)) throw cause;
      const colliding = new Map(cause.collisions.map((one) => [one.key, one]));
      // Of several items with the same key, the last one would be stored.
      const kept: typeof allowed = [];
      for (const entry of allowed.toReversed()) {
        const [index, { key }] = entry;
        const collision = colliding.get(key);
        colliding.delete(key);
        if (collision === undefined) kept.push(entry);
        else refused.push({ index, error: new NotUnique([collision]) });
      }
      allowed = kept.reverse();
    }
  }
}
