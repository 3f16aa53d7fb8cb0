import { type Change, headerKey } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import type { Reservation } from '../../quotas/ledger.js';
import { type Discard, discard } from '../contents/garbage.js';
import type { DriveContext } from '../context.js';
import { readSettings } from '../drive-settings.js';
import { type FileRow, isFileExpired, timedId, trashKey, trashRow } from '../rows.js';

/**
 * Gives the changes of rows for a file that loses its name. This becomes of it:
 *
 *   name/{name} ──► trash/{time}{id} ──► name/{name}: it comes back; or garbage, at its end
 *       │
 *       └─ the drive keeps no trash, the file has expired or is the marker of a folder ──► garbage
 *
 * Content that is in a row stays there: no byte moves.
 */
export type TrashOrDiscard = (name: string, file: FileRow | undefined) => Discard;

type ChangeContext = Pick<DriveContext, 'items' | 'clock' | 'garbageDue' | 'trashSeconds'>;

/** The rows that a change reads, in a drive. */
export interface ChangedRows {
  readonly space: string;
  readonly keys: readonly string[];
  /** The room for bytes that it takes over. */
  readonly reservation?: Reservation | undefined;
}

/**
 * Changes the files of a drive in one transaction. `decide` calls `trashOrDiscard` for each file that is deleted or
 * overwritten. What it gives follows the settings of the drive.
 */
export async function changeFiles<T>(
  { items, clock, garbageDue, trashSeconds: usual }: ChangeContext,
  { space, keys, reservation }: ChangedRows,
  decide: (rows: readonly (Buffer | undefined)[], trashOrDiscard: TrashOrDiscard) => Change<T>,
): Promise<T> {
  const decided = (read: readonly (Buffer | undefined)[]) => {
    const { trashSeconds = usual } = readSettings(read[0]);
    const due = garbageDue();
    const trashOrDiscard: TrashOrDiscard = (name, file) => {
      if (file === undefined || trashSeconds <= 0 || file.bytes !== undefined) return discard(file, due);
      return isFileExpired(file, nowSeconds(clock)) ? discard(file, due) : trashed(name, file);
    };
    return decide(read.slice(1), trashOrDiscard);

    function trashed(name: string, file: FileRow): Discard {
      const deletedMs = clock();
      const endsAtSeconds = Math.min(
        nowSeconds(clock) + trashSeconds,
        file.expiresAtSeconds ?? Number.POSITIVE_INFINITY,
      );
      const key = trashKey(timedId(deletedMs, file.id));
      return { puts: [trashRow(key, { ...file, name, deletedMs, endsAtSeconds })], deletes: [] };
    }
  };
  return await items.transact(space, [headerKey, ...keys], decided, { reservation });
}
