import type { Change, ItemStore } from '../../engines/item-store.js';
import { limitedKeysSpace } from '../../spaces.js';
import { newLimitedKey } from '../key-format.js';
import { type KeyRow, keyRow, readKeyRow } from '../key-row.js';
import { lastDeletionKey, noteDeletions } from './deletion-log.js';
import { newMarkedId } from './key-id.js';
import { listedKey } from './listed-rows.js';

// Changes of the rows of limited keys, each in one step.

/** A key to be made. `rowOf`: the row of a key that is created at that second. */
export interface KeyToMake {
  readonly project: string;
  readonly rowOf: (key: string, createdSeconds: number) => KeyRow;
}

/** Stores a new key under an id that none has, marked with the secret of the store. */
export async function addRow(
  items: ItemStore,
  { project, rowOf }: KeyToMake,
  secret: string,
  clock: () => number,
) {
  for (;;) {
    const nowMs = clock();
    const id = newMarkedId(nowMs, secret);
    const key = newLimitedKey(project, id);
    const row = rowOf(key, Math.floor(nowMs / 1000));
    const puts = [keyRow(id, row, limitedKeysSpace), { key: listedKey(project, id), value: Buffer.alloc(0) }];
    const isFree = await items.transact(
      limitedKeysSpace,
      [id],
      ([before]): Change<boolean> => (before === undefined ? { puts, result: true } : { result: false }),
    );
    if (isFree) return { id, key, row };
  }
}

/** Deletes the rows of those keys that exist and are meant. Gives them. */
export function endRows(
  items: ItemStore,
  ids: readonly string[],
  isMeant: (row: KeyRow) => boolean,
): Promise<readonly (readonly [id: string, row: KeyRow])[]> {
  const keys = items.isShared ? [lastDeletionKey, ...ids] : ids;
  return items.transact(limitedKeysSpace, keys, (found): Change<[string, KeyRow][]> => {
    const rows = items.isShared ? found.slice(1) : found;
    const meant = ids.flatMap((id, index): [string, KeyRow][] => {
      const value = rows[index];
      const row = value && readKeyRow(value);
      return row !== undefined && isMeant(row) ? [[id, row]] : [];
    });
    const deletes = meant.flatMap(([id, { project }]) => [id, listedKey(project, id)]);
    if (!items.isShared || meant.length === 0) return { deletes, result: meant };
    const ended = meant.map(([id]) => id);
    const note = noteDeletions(found[0], ended);
    return { puts: note.puts, deletes: [...deletes, ...note.deletes], makesRoom: true, result: meant };
  });
}
