import type { ItemStore, ScanRange } from '../../../engines/item-store.js';
import { itemRange } from '../../indexes/indexed-store.js';
import type { Rows } from '../matching.js';

/** Calls `read` with a scan of the items of a base that may be repeated: its rows are always those of one moment. */
export async function readAtOneMoment<T>(
  items: ItemStore,
  space: string,
  read: (scan: (range: ScanRange) => Rows) => Promise<T>,
): Promise<T> {
  const snapshot = await items.snapshot(space);
  try {
    return await read((range) => snapshot.scanText(itemRange(range)));
  } finally {
    await snapshot.close();
  }
}
