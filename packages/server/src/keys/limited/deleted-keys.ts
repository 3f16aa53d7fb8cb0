import type { ItemStore } from '../../engines/item-store.js';
import { scanBatches } from '../../engines/scan-batches.js';
import { limitedKeysSpace } from '../../spaces.js';
import { deletionRange, lastDeletionKey, lastDeletionOf } from './deletion-log.js';

const comparedAtOnce = 500;

/**
 * Gives a function that tells at each call which keys were ended since the call before. Those that this server has ended
 * may be among them. `heldIds`: the ids of the keys that are in memory, or are being read into it.
 */
export async function openDeletedKeys(
  items: ItemStore,
  heldIds: () => Iterable<string>,
): Promise<() => AsyncGenerator<string>> {
  let seen = await lastDeletionIn(items);
  return async function* newlyEnded() {
    const last = await lastDeletionIn(items);
    if (last === seen) return;
    let told = 0;
    for await (const id of endedBetween(items, seen, last)) {
      told++;
      yield id;
    }
    // New deletions have removed the rows of some, perhaps just now.
    if (told !== last - seen) yield* withoutRow(items, [...heldIds()]);
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

/** Those of the keys that have no row. */
async function* withoutRow(items: ItemStore, ids: readonly string[]): AsyncGenerator<string> {
  for (let at = 0; at < ids.length; at += comparedAtOnce) {
    const some = ids.slice(at, at + comparedAtOnce);
    const rows = await Promise.all(some.map((id) => items.get(limitedKeysSpace, id)));
    yield* some.filter((_, index) => rows[index] === undefined);
  }
}
