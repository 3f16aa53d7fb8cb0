import { ownedBlobs } from '../../drive/contents/owned-blobs.js';
import { blobsNamedBy, driveSpaces, RowUnreadable } from '../../drive/contents/row-contents.js';
import type { Row } from '../../engines/item-store.js';
import type { Store } from '../../engines/store.js';
import { groupsOf } from '../../lib/groups.js';
import { isRandomId } from '../../lib/random-id.js';
import { createIdSet, type IdSet } from '../id-set.js';
import { findOrphans } from '../orphans.js';

/** This number of ids takes some 3 MB of memory. */
const maxCandidates = 100_000;
const deleteAtOnce = 1000;

/**
 * The blobs of rows that were deleted at the destination. They are deleted as well, if no other row names them. This
 * collects only candidates; `sweep` compares them with the rows.
 */
export type RemovedBlobs = ReturnType<typeof createRemovedBlobs>;

export function createRemovedBlobs(destination: Store) {
  const { items, blobs } = destination;
  let candidates: IdSet | undefined;
  let isFull = false;

  function remember(id: string): void {
    candidates ??= createIdSet(maxCandidates);
    if (candidates.isFull) isFull = true;
    else candidates.add(id);
  }

  async function remove(ids: readonly string[]): Promise<void> {
    for (const some of groupsOf(ids, deleteAtOnce)) await blobs.delete(some);
  }

  async function sweepCandidates(found: IdSet): Promise<number> {
    for await (const id of ownedBlobs(items)) found.remove(id);
    const ids = [...found.values()];
    await remove(ids);
    return ids.length;
  }

  async function sweepAll(): Promise<number> {
    let count = 0;
    for await (const ids of findOrphans({ items, blobs })) {
      await remove(ids);
      count += ids.length;
    }
    return count;
  }

  return {
    /** Call it when a row of the destination was deleted or replaced. */
    removed(space: string, row: Row): void {
      if (!space.startsWith(driveSpaces)) return;
      for (const id of namedIds(row)) if (isRandomId(id)) remember(id);
    },

    /** Call it when blobs were copied for a row that was not put. */
    unused(ids: readonly string[]): void {
      for (const id of ids) remember(id);
    },

    /**
     * Deletes blobs that no row of the destination names: only candidates, or any blobs if there were too many candidates
     * or `all` is true. Gives their number. If a row cannot be read, it throws `RowUnreadable` and deletes none.
     */
    async sweep(all: boolean): Promise<number> {
      try {
        if (all || isFull) return await sweepAll();
        return candidates === undefined ? 0 : await sweepCandidates(candidates);
      } catch (cause) {
        if (!(cause instanceof RowUnreadable)) throw cause;
        throw new RowUnreadable(`a row of the destination cannot be read: ${cause.message}`, { cause });
      }
    },
  };
}

/** A row that cannot be read names nothing: when a row of the destination cannot be read, nothing is deleted. */
function namedIds(row: Row): readonly string[] {
  try {
    return blobsNamedBy(row);
  } catch (cause) {
    if (cause instanceof RowUnreadable) return [];
    throw cause;
  }
}
