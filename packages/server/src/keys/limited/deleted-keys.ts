import type { ItemStore } from '../../engines/item-store.js';
import { scanBatches } from '../../engines/scan-batches.js';
import { limitedKeysSpace } from '../../spaces.js';
import { deletionRange, keptDeletions, lastDeletionKey, lastDeletionOf } from './deletion-log.js';
import type { KeyCache } from './key-cache.js';

const comparedAtOnce = 500;

/**
 * Gives a function that tells at each call which keys were ended since the call before. Those that this server has ended
 * may be among them.
 */
export async function openDeletedKeys(
  items: ItemStore,
  cache: KeyCache,
): Promise<() => AsyncGenerator<string>> {
  let seen = await lastDeletionIn(items);
  return async function* newlyEnded() {
    const last = await lastDeletionIn(items);
    if (last === seen) return;
    const isFarBehind = last - seen >= keptDeletions;
    yield* isFarBehind ? cachedWithoutRow(items, cache) : endedBetween(items, seen, last);
    seen = last;
  };
}

async function lastDeletionIn(items: ItemStore): Promise<number> {
  return lastDeletionOf(await items.get(limitedKeysSpace, lastDeletionKey));
}

/** The keys that servers have ended, after this number and up to that one. */
async function* endedBetween(items: ItemStore, after: number, to: number): AsyncGenerator<string> {
  for await (const batch of scanBatches(items, limitedKeysSpace, deletionRange(after, to))) {
    for (const { value } of batch) yield value.toString();
  }
}

/** The keys in memory that have no row any more. */
async function* cachedWithoutRow(items: ItemStore, cache: KeyCache): AsyncGenerator<string> {
  const ids = Array.from(cache.all(), ([id]) => id);
  for (let at = 0; at < ids.length; at += comparedAtOnce) {
    const some = ids.slice(at, at + comparedAtOnce);
    const rows = await Promise.all(some.map((id) => items.get(limitedKeysSpace, id)));
    yield* some.filter((_, index) => rows[index] === undefined);
  }
}
