import type { ItemStore } from '../engines/item-store.js';
import { allSettledOrThrow } from '../lib/concurrency/all-settled.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import { deleteRows, type SweepGarbage } from './contents/garbage.js';
import { anyFile, anyGarbage, anyLinked, anyListed, anyRestored, anyTrash } from './contents/row-contents.js';
import { nameCounter, trashCounter } from './counted-files.js';
import { garbageKey, uploadKey } from './rows.js';

/**
 * Handles rows of a drive whose time has come, as long as `mayContinue` says so. May be repeated. Gives the keys of those that
 * must be handled again later.
 */
export type HandleDue = (
  space: string,
  keys: readonly string[],
  mayContinue: () => boolean,
) => Promise<readonly string[]>;

/** How many rows that are not garbage are handled at a time. */
const atOnce = 4;

/** What is done with each kind of row. */
export interface DueRowsDependencies {
  readonly items: Pick<ItemStore, 'transact'>;
  readonly sweepGarbage: SweepGarbage;
  /** An upload that had no request for too long. */
  readonly dropUpload: (space: string, uploadId: string) => Promise<void>;
  readonly expireFile: (space: string, key: string) => Promise<void>;
  readonly sweepTrash: (space: string, key: string) => Promise<void>;
  /** Begins to count the files of a drive. */
  readonly startCount: (space: string) => void;
}

export function createDueRows(dependencies: DueRowsDependencies): HandleDue {
  const { items, sweepGarbage, dropUpload, expireFile, sweepTrash, startCount } = dependencies;

  async function handle(space: string, key: string): Promise<boolean> {
    if (key === nameCounter || key === trashCounter) {
      startCount(space);
      return false;
    }
    if (key.startsWith(anyFile)) await expireFile(space, key);
    else if (key.startsWith(anyLinked) || key.startsWith(anyListed)) await deleteRows(items, space, [key]);
    else if (key.startsWith(anyTrash) || key.startsWith(anyRestored)) await sweepTrash(space, key);
    else await dropUpload(space, key.slice(uploadKey('').length));
    return true;
  }

  return async (space, keys, mayContinue) => {
    const isGarbage = (key: string) => key.startsWith(anyGarbage);
    const later: string[] = [];
    const few = createSemaphore(() => atOnce);
    await allSettledOrThrow(
      keys
        .filter((key) => !isGarbage(key))
        .map((key) =>
          few(async () => {
            if (!mayContinue() || !(await handle(space, key))) later.push(key);
          }),
        ),
    );
    // Together: files that are overwritten all the time leave more garbage than could be deleted one by one.
    const garbage = keys.filter(isGarbage).map((key) => key.slice(anyGarbage.length));
    if (garbage.length > 0) later.push(...(await sweepGarbage(space, garbage)).map(garbageKey));
    return later;
  };
}
