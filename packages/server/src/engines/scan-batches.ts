import type { ItemStore, ScannedRow, ScanRange } from './item-store.js';

/**
 * The rows of a range in the order of their keys, each batch as it is when it is read. Nothing is held while the caller has a
 * batch, and no batch waits for those who read at one moment: what must not be late is read in this way.
 */
export async function* scanBatches(
  items: Pick<ItemStore, 'scan'>,
  space: string,
  range: Omit<ScanRange, 'limit' | 'reverse'> = {},
): AsyncGenerator<readonly ScannedRow[]> {
  let bounds: ScanRange = { ...range, isOneBatch: true };
  for (;;) {
    let last: string | undefined;
    for await (const rows of items.scan(space, bounds)) {
      last = rows.at(-1)?.key;
      yield rows;
    }
    if (last === undefined) return;
    const { gte: _, ...others } = bounds;
    bounds = { ...others, gt: last };
  }
}
