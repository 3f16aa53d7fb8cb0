import { createCounter, type Tally } from '../../../engines/counter.js';
import type { Counted } from '../../../engines/first-count.js';
import { type Change, headerKey } from '../../../engines/item-store.js';
import { isCounted, readDeclarations } from '../declarations/declarations.js';
import { firstItemKey } from '../entries/entries.js';

/**
 * The beginning of the keys of the counter of a base: how many items it has, and the bytes of their JSON. No id of an
 * index begins so. A base has one if it is declared to be counted, or has an index. Stored: never rename.
 */
export const baseCounter = `${headerKey}#`;

export const baseCounterKeys = createCounter(baseCounter, false).keys;

/** What the counter of a base counts: items that have expired, too, until they are removed. */
export const countedItems: Counted = {
  prefix: baseCounter,
  range: { gte: firstItemKey },
  bytesOf: ({ bytes }) => bytes,
  isWanted: (header) => isCounted(readDeclarations(header)),
};

/** What a change of items adds. `stored` has the present row of each item that changes. */
export function addedItems(
  { puts = [], deletes = [] }: Pick<Change<unknown>, 'puts' | 'deletes'>,
  stored: ReadonlyMap<string, Buffer | undefined>,
): Tally {
  let rows = 0;
  let bytes = 0;
  for (const { key, value } of puts) {
    const before = stored.get(key);
    if (before === undefined) rows++;
    bytes += value.length - (before?.length ?? 0);
  }
  for (const key of deletes) {
    const before = stored.get(key);
    if (before === undefined) continue;
    rows--;
    bytes -= before.length;
  }
  return { rows, bytes };
}
