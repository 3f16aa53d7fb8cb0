import { headerKey } from '../../item-store.js';
import { RowsDamaged } from '../../storage-errors.js';
import type { RowMemory } from '../cache/row-memory.js';
import type { SyncedDatabase } from '../database/synced-database.js';
import { rowKey } from '../rows/row-encoding.js';
import { readRaw } from './read.js';
import { valueIn } from './scan-rows.js';

/** The maximum number of headers that are known not to exist. */
const maxHeaderless = 100_000;
const headerEnd = rowKey('', headerKey);

/** Reads single rows, by the cache. */
export type RowReader = ReturnType<typeof createRowReader>;

export function createRowReader(database: SyncedDatabase, memory: RowMemory) {
  const { cache } = memory;
  /** The row keys of headers that do not exist. */
  const headerless = new Set<string>();

  function readUnlessAbsent(id: string): Buffer | undefined {
    database.fences.check(id);
    const cached = cache.get(id);
    if (cached !== undefined) return cached;
    const raw = readRaw(database, id);
    if (raw !== undefined) memory.add(id, raw);
    return raw;
  }

  /** Almost every transaction on a base reads the header, and few bases have one. The cache has only rows that exist. */
  function readRow(id: string): Buffer | undefined {
    const isHeader = id.endsWith(headerEnd);
    if (isHeader && headerless.has(id)) return undefined;
    const raw = readUnlessAbsent(id);
    if (isHeader && raw === undefined && !memory.isInFlight(id)) {
      if (headerless.size === maxHeaderless) headerless.clear();
      headerless.add(id);
    }
    return raw;
  }

  return {
    readRow,

    readValue(id: string): Buffer | undefined {
      database.fences.check(id);
      return cache.getValue(id) ?? valueIn(readRow(id));
    },

    /** The row that a write replaces. If it is damaged, its entry in the due index is found to be stale some day. */
    readBefore(id: string): Buffer | undefined {
      try {
        return cache.peek(id) ?? readRaw(database, id);
      } catch (cause) {
        if (cause instanceof RowsDamaged) return undefined;
        throw cause;
      }
    },

    /** The size of the row that a write replaces, if there is one: it may also be damaged. */
    bytesBefore(id: string): number | undefined {
      try {
        return (cache.peek(id) ?? database.current?.getSync(id))?.length;
      } catch {
        return undefined;
      }
    },

    /** Call it for each row that is written: it may be a header that did not exist. */
    noteWritten(id: string): void {
      headerless.delete(id);
    },
  };
}
