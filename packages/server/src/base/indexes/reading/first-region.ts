import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import { createEntriesOf } from '../entries/entries.js';
import type { IndexRegion } from './plan.js';

/**
 * Makes a function that gives the number of the first of these regions in which an item has an entry; undefined if it has
 * none in any. No two of the regions overlap.
 */
export function createFirstRegion(
  regions: readonly IndexRegion[],
): (key: string, item: string) => number | undefined {
  const entriesOf = createEntriesOf([...new Set(regions.map(({ index }) => index))]);
  const sorted = Array.from(regions, ({ region }, n) => ({ ...region, n })).sort((a, b) =>
    compareUtf8(a.gte, b.gte),
  );
  // An item may have a thousand entries, and a query a thousand regions.
  const regionOf = (entry: string): number | undefined => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareUtf8((sorted[middle] as { readonly gte: string }).gte, entry) <= 0) low = middle + 1;
      else high = middle;
    }
    const before = sorted[low - 1];
    return before !== undefined && compareUtf8(entry, before.lt) < 0 ? before.n : undefined;
  };
  return (key, item) => {
    let first: number | undefined;
    for (const entry of entriesOf(key, item)) {
      const n = regionOf(entry);
      if (n !== undefined && (first === undefined || n < first)) first = n;
    }
    return first;
  };
}
