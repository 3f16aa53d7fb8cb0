import { countedItems } from '../base/indexes/writing/counted-items.js';
import { anyPart } from '../drive/contents/row-contents.js';
import { countedFiles, nameCounter } from '../drive/counted-files.js';
import { folderKey } from '../drive/rows.js';
import { readCounter, type Tally, tallyOf } from '../engines/counter.js';
import type { Counted } from '../engines/first-count.js';
import type { ItemStore } from '../engines/item-store.js';
import { nothingStored, type Stored } from '../quotas/ledger.js';
import { baseSpaces, driveSpaces, projectsSpace } from '../spaces.js';

/** The rows below a prefix, which have no counter. */
const uncounted = (prefix: string): Pick<Counted, 'range' | 'bytesOf'> => ({
  range: { prefix },
  bytesOf: ({ text }) => (JSON.parse(text) as { readonly sizeBytes: number }).sizeBytes,
});
/** The parts of open uploads. */
export const parts = uncounted(anyPart);
/** The markers of folders. */
const markers = uncounted(folderKey(''));

/**
 * What a project stores, exactly: what its counters say, and of a base or drive that is not counted yet, what is there. Nothing may
 * be written into it at the same time, except what was submitted before.
 */
export async function storedSums(items: ItemStore, project: string): Promise<Stored> {
  // Transactions are done one after the other: those before this one have ended with it.
  await items.transact(projectsSpace, [], () => ({ result: undefined }));
  let sum: Stored = nothingStored;
  for await (const space of items.spaces(`${baseSpaces}${project}/`)) {
    const { rows, bytes } = await sumOfKind(items, space, countedItems);
    sum = { ...sum, items: sum.items + rows, itemBytes: sum.itemBytes + bytes };
  }
  for await (const space of items.spaces(`${driveSpaces}${project}/`)) {
    for (const kind of countedFiles) {
      const { rows, bytes } = await sumOfKind(items, space, kind);
      const files = sum.files + (kind.prefix === nameCounter ? rows : 0);
      sum = { ...sum, files, fileBytes: sum.fileBytes + bytes };
    }
    const ofParts = await sumOfRows(items, space, parts);
    const ofMarkers = await sumOfRows(items, space, markers);
    const fileBytes = sum.fileBytes + ofParts.bytes + ofMarkers.bytes;
    sum = { ...sum, files: sum.files + ofMarkers.rows, fileBytes };
  }
  return sum;
}

/** What the counter of a kind says, if it is whole, or what there is. */
export async function sumOfKind(
  items: ItemStore,
  space: string,
  kind: Pick<Counted, 'prefix' | 'range' | 'bytesOf'>,
): Promise<Tally> {
  const snapshot = await items.snapshot(space);
  try {
    const counter = await readCounter(snapshot, kind.prefix);
    if (counter?.isWhole) return counter.sum;
  } finally {
    await snapshot.close();
  }
  return await sumOfRows(items, space, kind);
}

export async function sumOfRows(
  items: ItemStore,
  space: string,
  { range, bytesOf }: Pick<Counted, 'range' | 'bytesOf'>,
): Promise<Tally> {
  return await tallyOf(items.scanText(space, { ...range, isLong: true }), bytesOf);
}
