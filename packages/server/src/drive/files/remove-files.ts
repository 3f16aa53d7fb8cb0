import type { Change } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import { discard } from '../contents/garbage.js';
import type { DriveContext } from '../context.js';
import { isFileExpired, nameOfKey, readFile } from '../rows.js';
import { changeFiles } from '../trash/trash-or-discard.js';
import { type FileCondition, requireCondition } from './put-file.js';

/**
 * Deletes the files of these rows in one step, and gives the number of those that had not expired. Throws the 412
 * `RequestError` of a condition that one of them does not meet.
 */
export async function removeFiles(
  context: DriveContext,
  space: string,
  keys: readonly string[],
  condition?: FileCondition,
): Promise<number> {
  const { clock, wakeMaintenance } = context;
  const deleted = await changeFiles(context, { space, keys }, (rows, trashOrDiscard): Change<number> => {
    const now = nowSeconds(clock);
    const files = rows.map(readFile);
    const live = files.map((file) => (file === undefined || isFileExpired(file, now) ? undefined : file));
    if (condition !== undefined) for (const file of live) requireCondition(condition, file);
    const discarded = files.map((file, index) => trashOrDiscard(nameOfKey(keys[index] as string), file));
    const existing = keys.filter((_, index) => rows[index] !== undefined);
    return {
      puts: discarded.flatMap((content) => content.puts),
      deletes: [...existing, ...discarded.flatMap((content) => content.deletes)],
      makesRoom: true,
      result: live.filter((file) => file !== undefined).length,
    };
  });
  wakeMaintenance();
  return deleted;
}

/** Deletes an expired file, and its bytes become garbage. A file that was put or changed in the meantime stays. */
export async function expireFile(
  { items, clock, garbageDue, wakeMaintenance }: DriveContext,
  space: string,
  key: string,
): Promise<void> {
  await items.transact(space, [key], ([row]): Change<undefined> => {
    const file = readFile(row);
    if (file === undefined || !isFileExpired(file, nowSeconds(clock))) return { result: undefined };
    const old = discard(file, garbageDue());
    return { puts: old.puts, deletes: [key, ...old.deletes], makesRoom: true, result: undefined };
  });
  wakeMaintenance();
}
