import type { Change, ItemStore, Put } from '../engines/item-store.js';
import { keysSpace } from '../spaces.js';
import { isKeyExpired, type KeyRow, keyRow, readKeyRow } from './key-row.js';

const minuteSeconds = 60;

/** The minute of the last use of a key on this server in seconds, if it is later than that of its row. */
export function newlyUsed({ lastUsedSeconds = 0 }: KeyRow, usedMs: number): number | undefined {
  const minute = Math.floor(usedMs / 1000 / minuteSeconds) * minuteSeconds;
  return minute > lastUsedSeconds ? minute : undefined;
}

interface TidyParts {
  /** Whole seconds since 1970 UTC. */
  readonly now: number;
  /** When this server last saw the key with this id, in milliseconds since 1970 UTC; 0 if it did not. */
  readonly usedMs: (id: string) => number;
}

/**
 * Deletes those of the rows whose keys have expired, and writes the last use of the others, in one step. A row that
 * another server has deleted stays deleted. Gives the rows as they are afterwards.
 */
export function tidyRows(
  items: ItemStore,
  ids: readonly string[],
  { now, usedMs }: TidyParts,
): Promise<readonly (readonly [id: string, row: KeyRow | undefined])[]> {
  return items.transact(keysSpace, ids, (found): Change<[string, KeyRow | undefined][]> => {
    const puts: Put[] = [];
    const deletes: string[] = [];
    const result = ids.map((id, index): [string, KeyRow | undefined] => {
      const stored = found[index];
      const row = stored && readKeyRow(stored);
      if (row === undefined) return [id, undefined];
      if (isKeyExpired(row, now)) {
        deletes.push(id);
        return [id, undefined];
      }
      const lastUsedSeconds = newlyUsed(row, usedMs(id));
      if (lastUsedSeconds === undefined) return [id, row];
      const used = { ...row, lastUsedSeconds };
      puts.push(keyRow(id, used));
      return [id, used];
    });
    return { puts, deletes, result };
  });
}
