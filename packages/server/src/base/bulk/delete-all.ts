import type { Change, ItemStore } from '../../engines/item-store.js';
import { keyBatches } from '../../engines/key-batches.js';
import { createSemaphore } from '../../lib/concurrency/semaphore.js';
import { abandoned } from '../../request-error.js';

/**
 * Deletes every row of a space whose key begins with the prefix (docs/http.md#delete-all-items). Resolves to the number
 * of deleted items that had not expired.
 */
export type DeleteAll = (space: string, prefix: string, isAbandoned: () => boolean) => Promise<number>;

/**
 * Each batch is one transaction. All calls together delete one batch at a time, so a writer waits for at most one
 * batch.
 */
export function createDeleteAll(
  items: ItemStore,
  alive: (row: Buffer | undefined) => Buffer | undefined,
): DeleteAll {
  const oneAtATime = createSemaphore(() => 1);

  return async (space, prefix, isAbandoned) => {
    let deleted = 0;
    for await (const keys of keyBatches(items, space, prefix)) {
      deleted += await oneAtATime(() => {
        if (isAbandoned()) throw abandoned();
        return items.transact(
          space,
          keys,
          (rows): Change<number> => ({
            deletes: keys.filter((_, index) => rows[index] !== undefined),
            result: rows.filter((row) => alive(row) !== undefined).length,
          }),
        );
      });
    }
    return deleted;
  };
}
