import type { DueRow } from '../../item-store.js';
import type { GroupCommit } from '../../shared/group-commit.js';
import { RowsDamaged } from '../../storage-errors.js';
import type { SyncedDatabase } from '../database/synced-database.js';
import { readBatches, readRaw } from '../reading/read.js';
import { dueKey, dueMark, dueOf, parseDueKey, parseRowKey } from '../rows/row-encoding.js';

/** At most `limit` rows that are due by this second. Entries that older versions left are dropped. */
export async function findDue(
  database: SyncedDatabase,
  commit: GroupCommit,
  beforeSeconds: number,
  limit: number,
): Promise<DueRow[]> {
  const found: DueRow[] = [];
  const range = { gte: dueMark, lt: dueKey(beforeSeconds + 1, '') };
  for await (const entries of readBatches<Buffer>(database, range, 'buffer')) {
    for (const [entry] of entries) {
      if (found.length === limit) return found;
      const { seconds, rowKey: id } = parseDueKey(entry);
      const due = dueUnlessDamaged(database, id);
      if (due === seconds) found.push(parseRowKey(id));
      else if (due !== 'damaged') await dropStaleEntry(commit, entry);
    }
  }
  return found;
}

function dueUnlessDamaged(database: SyncedDatabase, id: string): number | undefined | 'damaged' {
  try {
    return dueOf(readRaw(database, id));
  } catch (cause) {
    if (cause instanceof RowsDamaged) return 'damaged';
    throw cause;
  }
}

/** An older version left it. Decides within a commit: the row may have been put with this time a moment ago. */
async function dropStaleEntry(commit: GroupCommit, entry: string): Promise<void> {
  const { seconds, rowKey: id } = parseDueKey(entry);
  await commit.submit([id], ([raw]) => ({
    operations: dueOf(raw) === seconds ? [] : [{ type: 'del', key: entry }],
    result: undefined,
  }));
}
