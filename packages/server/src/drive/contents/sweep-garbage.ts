import type { ItemStore } from '../../engines/item-store.js';
import type { Store } from '../../engines/store.js';
import { garbageKey, partsPrefix } from '../rows.js';
import type { Leases } from './leases.js';
import { garbageContent, type Holders, holdersOf, holdersOfPieces, namedContent } from './row-contents.js';

/**
 * Deletes the bytes of the garbage with this id, and then the row that names them. Each step may be repeated. Resolves to
 * false while a download reads the bytes.
 */
export type SweepGarbage = (space: string, id: string) => Promise<boolean>;

export interface SweepGarbageDependencies extends Store {
  readonly leases: Leases;
}

/** The maximum number of rows that one transaction deletes. */
const maxRowsPerDelete = 1000;

export function createSweepGarbage({ items, blobs, leases }: SweepGarbageDependencies): SweepGarbage {
  async function deleteParts(space: string, uploadId: string): Promise<void> {
    for await (const batch of items.scan(space, { prefix: partsPrefix(uploadId) })) {
      const held = holdersOfPieces(batch.flatMap((row) => namedContent(row) ?? []));
      await deleteHolders(space, { blobs: held.blobs, rows: [...held.rows, ...batch.map((row) => row.key)] });
    }
  }

  async function deleteHolders(space: string, holders: Holders | undefined): Promise<void> {
    // If the list of pieces is missing, the content was deleted before.
    if (holders === undefined) return;
    await blobs.delete(holders.blobs);
    await deleteRows(items, space, holders.rows);
  }

  return async (space, id) => {
    const value = await items.get(space, garbageKey(id));
    if (value === undefined) return true;
    // The name is already deleted, so a lease that is taken later does not count: its reader reads the name again.
    if (leases.has(id)) return false;
    const content = garbageContent({ key: garbageKey(id), value });
    if (content === undefined) await deleteParts(space, id);
    else await deleteHolders(space, await holdersOf(items, space, content));
    await deleteRows(items, space, [garbageKey(id)]);
    return true;
  };
}

export async function deleteRows(
  items: Pick<ItemStore, 'transact'>,
  space: string,
  keys: readonly string[],
): Promise<void> {
  for (let at = 0; at < keys.length; at += maxRowsPerDelete) {
    const deletes = keys.slice(at, at + maxRowsPerDelete);
    await items.transact(space, [], () => ({ deletes, result: undefined }));
  }
}
