import type { VerifyPace } from '../../item-store.js';
import { type DamagedRow, isRefusedForDamage, type RowDamage, RowsDamaged } from '../../storage-errors.js';
import type { SyncedDatabase } from '../database/synced-database.js';
import { afterDueIndex } from '../rows/row-encoding.js';
import { readBatches } from './read.js';

/** First the files, then each row: a damaged row that compaction has written again is in a block that is right. */
export async function* verifyRows(
  database: SyncedDatabase,
  pace: VerifyPace = {},
): AsyncGenerator<RowDamage | DamagedRow> {
  if (database.verify !== undefined) yield* database.verify(pace);
  if (pace.filesOnly) return;
  const everything = readBatches<Buffer>(database, { gte: afterDueIndex }, 'buffer', {
    beyondFences: true,
  });
  try {
    for await (const entries of everything) {
      for (const [id, raw] of entries) {
        const damage = database.verifier.damageOf(id, raw);
        if (damage !== undefined) yield damage;
      }
      await pace.rest?.();
      if (pace.mayContinue?.() === false) return;
    }
  } catch (cause) {
    // The damage of a table, or of the list of tables: it was found before.
    if (!(cause instanceof RowsDamaged || isRefusedForDamage(cause))) throw cause;
  }
}
