import type { ItemStore } from '../../engines/item-store.js';
import { isCopied } from './claim.js';
import { namedBytes } from './named-blobs.js';
import type { Meter } from './progress.js';
import { rowBatches } from './row-batches.js';
import { rowBytes } from './row-digest.js';

/** Reads all rows of a store to know how much there is to copy: the bytes of rows and of blobs. */
export async function countBytes(
  items: ItemStore,
  meter: Meter,
  nextStep: () => Promise<void>,
): Promise<number> {
  meter.begin('counting');
  let bytes = 0;
  for await (const space of items.spaces('')) {
    if (!isCopied(space)) continue;
    for await (const stretch of rowBatches(items, space)) {
      await nextStep();
      for (const row of stretch) {
        bytes += rowBytes(row) + namedBytes(space, row);
        meter.row();
      }
    }
  }
  return bytes;
}
