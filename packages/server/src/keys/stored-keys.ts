import type { Change, ItemStore, Put, Row } from '../engines/item-store.js';
import { scanBatches } from '../engines/scan-batches.js';
import { runInSlices, type Steps } from '../lib/concurrency/time-slices.js';
import { keysSpace } from '../spaces.js';
import { isKeyExpired, type KeyRow, keyRow, readKeyRow } from './key-row.js';

// The rows of all keys of a store. A row holds the hash of a key, never the key.

const minuteSeconds = 60;
const rowsPerStep = 32;

/** Reads all rows, by the ids of their keys. A key whose row is damaged is not among them; all others are. */
export async function readStoredKeys(items: ItemStore): Promise<Map<string, KeyRow>> {
  const found = new Map<string, KeyRow>();
  for await (const batch of scanBatches(items, keysSpace, { skipDamaged: true })) {
    await runInSlices(readBatch(batch, found));
  }
  return found;
}

/** A thousand keys have some megabytes. */
function* readBatch(batch: readonly Row[], found: Map<string, KeyRow>): Steps<void> {
  for (const [index, { key, value }] of batch.entries()) {
    found.set(key, readKeyRow(value));
    if (index % rowsPerStep === rowsPerStep - 1) yield;
  }
}

/** Resolves to false, without a change, if the id is taken. */
export function storeKey(items: ItemStore, id: string, row: KeyRow): Promise<boolean> {
  return items.transact(keysSpace, [id], ([before]): Change<boolean> => {
    return before === undefined ? { puts: [keyRow(id, row, keysSpace)], result: true } : { result: false };
  });
}

/** Deletes the row. Resolves to whether it existed; with a project, whether it was the row of a key of this project. */
export function deleteStoredKey(items: ItemStore, id: string, project?: string): Promise<boolean> {
  return items.transact(keysSpace, [id], ([row]): Change<boolean> => {
    const isMeant = row !== undefined && (project === undefined || readKeyRow(row).project === project);
    return { deletes: isMeant ? [id] : [], result: isMeant };
  });
}

/** Deletes the rows of all keys of a project. */
export async function deleteStoredKeysOf(items: ItemStore, project: string): Promise<void> {
  for (const [id, row] of await readStoredKeys(items)) {
    if (row.project === project) await deleteStoredKey(items, id, project);
  }
}

/** The minute of the last use of a key on this server in seconds, if it is later than that of its row. */
export function newlyUsed({ lastUsedSeconds = 0 }: KeyRow, usedMs: number): number | undefined {
  const minute = Math.floor(usedMs / 1000 / minuteSeconds) * minuteSeconds;
  return minute > lastUsedSeconds ? minute : undefined;
}

interface TidyOptions {
  readonly space: string;
  /** Whole seconds since 1970 UTC: keys that have expired by then are deleted; undefined: none is. */
  readonly now?: number;
  /** When this server last saw the key with this id, in milliseconds since 1970 UTC; 0 if it did not. */
  readonly usedMs: (id: string) => number;
}

/**
 * Deletes those of the rows whose keys have expired, and writes the last use of the others, in one step. A row that
 * another server has deleted stays deleted. Gives the rows as they are afterwards.
 */
export function tidyStoredKeys(
  items: ItemStore,
  ids: readonly string[],
  { space, now, usedMs }: TidyOptions,
): Promise<readonly (readonly [id: string, row: KeyRow | undefined])[]> {
  return items.transact(space, ids, (found): Change<[string, KeyRow | undefined][]> => {
    const puts: Put[] = [];
    const deletes: string[] = [];
    const result = ids.map((id, index): [string, KeyRow | undefined] => {
      const stored = found[index];
      const row = stored && readKeyRow(stored);
      if (row === undefined) return [id, undefined];
      if (now !== undefined && isKeyExpired(row, now)) {
        deletes.push(id);
        return [id, undefined];
      }
      const lastUsedSeconds = newlyUsed(row, usedMs(id));
      if (lastUsedSeconds === undefined) return [id, row];
      const used = { ...row, lastUsedSeconds };
      puts.push(keyRow(id, used, space));
      return [id, used];
    });
    return { puts, deletes, result };
  });
}
