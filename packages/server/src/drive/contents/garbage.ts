import type { ItemStore, Put } from '../../engines/item-store.js';
import type { Store } from '../../engines/store.js';
import { groupsOf } from '../../lib/groups.js';
import { type FileRow, type GarbageRow, garbageKey, jsonRow, partsPrefix } from '../rows.js';
import type { Leases } from './leases.js';
import {
  bytesKey,
  type ContentName,
  garbageContent,
  holdersOf,
  holdersOfPieces,
  namedContent,
} from './row-contents.js';

/**
 * Garbage is content that no name refers to any more. If its bytes are in a row, the transaction that removes the name
 * deletes them. Blobs are deleted later, by maintenance. Until then a garbage row names them, so that a crash does not
 * leave them behind.
 */

/** The changes that a transaction needs to discard a content. */
export interface Discard {
  readonly puts: readonly Put[];
  readonly deletes: readonly string[];
}

const nothing: Discard = { puts: [], deletes: [] };

/**
 * Gives the changes that discard a content. `dueSeconds` is the time from which maintenance may delete the bytes, in
 * whole seconds since 1970 UTC.
 */
export function discard(
  content: (ContentName & Pick<FileRow, 'bytes'>) | undefined,
  dueSeconds: number,
): Discard {
  if (content === undefined || content.bytes !== undefined) return nothing;
  const key = bytesKey(content);
  if (key !== undefined) return { puts: [], deletes: [key] };
  // Content that is not in a row is a blob or a list of pieces.
  const layout = content.layout as GarbageRow['layout'];
  return { puts: [garbageRow(content.id, { layout }, dueSeconds)], deletes: [] };
}

export function garbageRow(id: string, row: GarbageRow, dueSeconds: number): Put {
  return { ...jsonRow<GarbageRow>(garbageKey(id), row), dueSeconds };
}

/**
 * Deletes the bytes of the garbage with these ids, and then the rows that name them. Each step may be repeated. Gives the ids
 * of those whose bytes a download reads.
 */
export type SweepGarbage = (space: string, ids: readonly string[]) => Promise<readonly string[]>;

/** The maximum number of rows that one transaction deletes, and about how many rows and blobs are gathered before. */
const maxRowsPerDelete = 1000;

export function createSweepGarbage({ items, blobs }: Store, leases: Leases): SweepGarbage {
  async function deleteParts(space: string, uploadId: string): Promise<void> {
    for await (const batch of items.scan(space, { prefix: partsPrefix(uploadId) })) {
      const held = holdersOfPieces(batch.flatMap((row) => namedContent(row) ?? []));
      await blobs.delete(held.blobs);
      await deleteRows(items, space, [...held.rows, ...batch.map((row) => row.key)]);
    }
  }

  return async (space, ids) => {
    const beingRead: string[] = [];
    let goneBlobs: string[] = [];
    let goneRows: string[] = [];

    async function deleteGone(): Promise<void> {
      await blobs.delete(goneBlobs);
      await deleteRows(items, space, goneRows);
      goneBlobs = [];
      goneRows = [];
    }

    for (const id of ids) {
      const key = garbageKey(id);
      const value = await items.get(space, key);
      if (value === undefined) continue;
      // The name is already deleted, so a lease that is taken later does not count: its reader reads the name again.
      if (leases.has(id)) {
        beingRead.push(id);
        continue;
      }
      const content = garbageContent({ key, value });
      if (content === undefined) await deleteParts(space, id);
      else {
        // If the list of pieces is missing, the content was deleted before.
        const held = await holdersOf(items, space, content);
        goneBlobs.push(...(held?.blobs ?? []));
        goneRows.push(...(held?.rows ?? []));
      }
      goneRows.push(key);
      if (goneBlobs.length + goneRows.length > maxRowsPerDelete) await deleteGone();
    }
    await deleteGone();
    return beingRead;
  };
}

export async function deleteRows(
  items: Pick<ItemStore, 'transact'>,
  space: string,
  keys: readonly string[],
): Promise<void> {
  for (const deletes of groupsOf(keys, maxRowsPerDelete)) {
    await items.transact(space, [], () => ({ deletes, result: undefined }));
  }
}
