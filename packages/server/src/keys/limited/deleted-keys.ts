import type { ItemStore } from '../../engines/item-store.js';
import { scanBatches } from '../../engines/scan-batches.js';
import { limitedKeysSpace } from '../../spaces.js';
import { endedRange, keptDeletions, lastEndedKey, lastEndedOf } from './ended-log.js';
import type { HeldKeys } from './held-keys.js';

const comparedAtOnce = 500;

/**
 * Gives a function that tells, at each call, which keys servers have ended since the call before. Those that this server
 * ended may be among them.
 */
export async function openDeletedKeys(
  items: ItemStore,
  held: HeldKeys,
): Promise<() => AsyncGenerator<string>> {
  let known = await lastEndedIn(items);
  return async function* news() {
    const last = await lastEndedIn(items);
    if (last === known) return;
    const isFarBehind = last - known >= keptDeletions;
    yield* isFarBehind ? heldWithoutRow(items, held) : endedBetween(items, known, last);
    known = last;
  };
}

async function lastEndedIn(items: ItemStore): Promise<number> {
  return lastEndedOf(await items.get(limitedKeysSpace, lastEndedKey));
}

/** The keys that servers have ended, after this number and up to that one. */
async function* endedBetween(items: ItemStore, after: number, to: number): AsyncGenerator<string> {
  for await (const batch of scanBatches(items, limitedKeysSpace, endedRange(after, to))) {
    for (const { value } of batch) yield value.toString();
  }
}

/** The keys in memory that have no row any more. */
async function* heldWithoutRow(items: ItemStore, held: HeldKeys): AsyncGenerator<string> {
  const ids = Array.from(held.all(), ([id]) => id);
  for (let at = 0; at < ids.length; at += comparedAtOnce) {
    const some = ids.slice(at, at + comparedAtOnce);
    const rows = await Promise.all(some.map((id) => items.get(limitedKeysSpace, id)));
    yield* some.filter((_, index) => rows[index] === undefined);
  }
}
