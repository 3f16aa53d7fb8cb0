import type { ItemStore } from '../../engines/item-store.js';
import { scanBatches } from '../../engines/scan-batches.js';
import { groupsOf } from '../../lib/groups.js';
import { limitedKeysSpace } from '../../spaces.js';
import { deletionKey, deletionRange, lastDeletionKey, lastDeletionOf } from './deletion-log.js';

const comparedAtOnce = 500;

/** The keys that are in memory. */
export interface HeldKeys {
  /** The ids of these keys, and of those that are being read into it. */
  ids(): Iterable<string>;
  /** Rows of keys that had ended may be there again. */
  forgetAbsent(): void;
}

/**
 * Gives a function that tells at each call which keys were ended since the call before. Those that this server has ended
 * may be among them.
 */
export async function openDeletedKeys(
  items: ItemStore,
  held: HeldKeys,
): Promise<() => AsyncGenerator<string>> {
  let seen = await deletionAt(items, await lastDeletionIn(items));
  return async function* newlyEnded() {
    const [last, now] = await Promise.all([lastDeletionIn(items), deletionAt(items, seen.number)]);
    // A database that has lost its last commits gives their numbers again, for other keys.
    let isComplete = last >= seen.number && now.id === seen.id;
    if (isComplete && last === seen.number) return;
    const next = await deletionAt(items, last);
    if (isComplete) {
      let told = 0;
      for await (const id of endedBetween(items, seen.number, last)) {
        told++;
        yield id;
      }
      isComplete = told === last - seen.number;
    } else held.forgetAbsent();
    // New deletions may also have removed the rows of some, perhaps just now.
    if (!isComplete) yield* withoutRow(items, [...held.ids()]);
    seen = next;
  };
}

async function lastDeletionIn(items: ItemStore): Promise<number> {
  return lastDeletionOf(await items.get(limitedKeysSpace, lastDeletionKey));
}

/** The deletion of this number, and the id of its key. There is no id without a row: there is none of 0. */
async function deletionAt(items: ItemStore, number: number) {
  return { number, id: (await items.get(limitedKeysSpace, deletionKey(number)))?.toString() };
}

/** The keys that servers have ended, after this number and up to that one. */
async function* endedBetween(items: ItemStore, after: number, to: number): AsyncGenerator<string> {
  for await (const batch of scanBatches(items, limitedKeysSpace, deletionRange(after, to))) {
    for (const { value } of batch) yield value.toString();
  }
}

/** Those of the keys that have no row. */
async function* withoutRow(items: ItemStore, ids: readonly string[]): AsyncGenerator<string> {
  for (const some of groupsOf(ids, comparedAtOnce)) {
    const rows = await Promise.all(some.map((id) => items.get(limitedKeysSpace, id)));
    yield* some.filter((_, index) => rows[index] === undefined);
  }
}
