import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import type { Leases } from './leases.js';
import { garbageContent, type Holders, holdersOf, holdersOfPieces, namedContent } from './row-contents.js';
import { garbageKey, partsPrefix, uploadKey } from './rows.js';
import type { Uploads } from './uploads.js';

/** Rows that one transaction takes away at most. */
const batchRows = 1000;
const nothing: Holders = { blobs: [], rows: [] };

/**
 * What becomes of a row of a drive that is due: an upload that nobody calls is dropped; the bytes of garbage go,
 * then the row that named them. Any step may be done again. Resolves to false when it is to be asked again later.
 */
export type Sweep = (space: string, key: string) => Promise<boolean>;

export function createSweep(items: ItemStore, blobs: BlobStore, leases: Leases, uploads: Uploads): Sweep {
  async function sweepGarbage(space: string, id: string): Promise<boolean> {
    const row = await items.get(space, garbageKey(id));
    if (row === undefined) return true;
    // No lease begins once the name is gone: a reader looks at the name again after taking one.
    if (leases.has(id)) return false;
    const content = garbageContent({ key: garbageKey(id), value: row });
    if (content === undefined) await sweepParts(space, id);
    else await removeHolders(space, (await holdersOf(items, space, content)) ?? nothing);
    await remove(space, [garbageKey(id)]);
    return true;
  }

  async function sweepParts(space: string, uploadId: string): Promise<void> {
    for await (const batch of items.scan(space, { prefix: partsPrefix(uploadId) })) {
      const { blobs: ids, rows } = holdersOfPieces(batch.flatMap((row) => namedContent(row) ?? []));
      await removeHolders(space, { blobs: ids, rows: [...rows, ...batch.map((row) => row.key)] });
    }
  }

  async function removeHolders(space: string, holders: Holders): Promise<void> {
    await blobs.delete(holders.blobs);
    await remove(space, holders.rows);
  }

  async function remove(space: string, keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += batchRows) {
      const deletes = keys.slice(at, at + batchRows);
      await items.transact(space, [], () => ({ deletes, result: undefined }));
    }
  }

  return async (space, key) => {
    if (key.startsWith(garbageKey(''))) return await sweepGarbage(space, key.slice(garbageKey('').length));
    await uploads.drop(space, key.slice(uploadKey('').length));
    return true;
  };
}
