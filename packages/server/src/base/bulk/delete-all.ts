import type { Change } from '../../engines/item-store.js';
import { keyBatches } from '../../engines/key-batches.js';
import { createFairSemaphores } from '../../lib/concurrency/semaphore.js';
import { abandoned } from '../../request-error.js';
import { projectOfSpace } from '../../spaces.js';
import type { IndexedStore } from '../indexes/writing/indexed-store.js';
import { inParts, ofPart } from '../indexes/writing/transaction-bounds.js';

/**
 * Deletes every row of a space whose key begins with the prefix (docs/http.md#delete-all-items). Resolves to the number
 * of deleted items that had not expired.
 */
export type DeleteAll = (space: string, prefix: string, isAbandoned: () => boolean) => Promise<number>;

/**
 * Each batch is one transaction, or several if its items have many entries in indexes. All calls together delete one
 * batch at a time, in turns of the projects, so a writer waits for at most one batch.
 */
export function createDeleteAll(
  items: IndexedStore,
  alive: (row: Buffer | undefined) => Buffer | undefined,
): DeleteAll {
  const oneAtATime = createFairSemaphores(() => 1);

  function deletePart(space: string, keys: readonly string[]): Promise<number> {
    const decide = (rows: readonly (Buffer | undefined)[]): Change<number> => ({
      deletes: keys.filter((_, index) => rows[index] !== undefined),
      result: rows.filter((row) => alive(row) !== undefined).length,
    });
    return items.transact(space, keys, decide, ofPart);
  }

  return async (space, prefix, isAbandoned) => {
    const inTurn = oneAtATime(projectOfSpace(space));
    let deleted = 0;
    for await (const keys of keyBatches(items, space, prefix)) {
      const counts = await inTurn(() =>
        inParts(keys, async (part) => {
          if (isAbandoned()) throw abandoned();
          return await deletePart(space, part);
        }),
      );
      for (const count of counts) deleted += count;
    }
    return deleted;
  };
}
