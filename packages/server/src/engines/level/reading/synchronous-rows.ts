import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import { needsWait, type SynchronousRows } from '../../item-store.js';
import { dueRange } from '../cache/key-pages.js';
import type { RowMemory } from '../cache/row-memory.js';
import type { SyncedDatabase } from '../database/synced-database.js';
import { parseDueKey } from '../rows/row-encoding.js';
import type { RowReader } from './row-reader.js';

interface OpenRows {
  readonly database: SyncedDatabase;
  readonly memory: RowMemory;
  readonly reader: RowReader;
}

/** How many rows may be read from the disk: all requests wait meanwhile. */
const maxDiskReads = 16;
/** With more due rows, of all spaces, it takes longer to look than to wait. */
const maxDue = 64;

/**
 * The rows whose keys begin with `start` in LevelDB, as far as they can be read without waiting. A row that the batch
 * in progress changes is not read. So all that is read is from one moment, both before and after that batch.
 */
export function createSynchronousRows(
  start: string,
  { database: { activity }, memory, reader }: OpenRows,
): SynchronousRows {
  const { pages, isInFlight } = memory;
  const mostReads = activity.reads + maxDiskReads;
  return {
    get(key) {
      const id = start + key;
      if (isInFlight(id) || activity.reads >= mostReads) throw needsWait;
      return reader.readValue(id);
    },

    keys({ gte, lt, reverse, limit }) {
      const found = pages.keys({ start, gte, lt, reverse }, limit);
      if (!found?.isWhole) throw needsWait;
      return found.keys;
    },

    count({ gte, lt }) {
      const { count, missing } = pages.count({ start, gte, lt, reverse: false });
      if (missing !== undefined) throw needsWait;
      return count;
    },

    isAnyDue(beforeSeconds, from) {
      const found = pages.keys(dueRange(beforeSeconds), maxDue);
      if (!found?.isWhole || found.keys.length === maxDue) throw needsWait;
      return found.keys.some((entry) => {
        const id = parseDueKey(entry).rowKey;
        return id.startsWith(start) && compareUtf8(id.slice(start.length), from) >= 0;
      });
    },
  };
}
