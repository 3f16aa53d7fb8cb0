import type { AbstractIteratorOptions, AbstractSnapshot } from 'abstract-level';
import type { ScanRange } from '../item-store.js';
import { keyRange } from '../shared/key-range.js';
import { RowsDamaged, StorageUnavailable } from '../storage-errors.js';
import { endOfSpace, rowKey } from './row-encoding.js';
import type { Level, SyncedDatabase } from './synced-database.js';

export const batchRows = 256;
const batchBytes = 64 * 1024;

/** A row as it is stored, read synchronously. Throws `StorageUnavailable`, `RowsDamaged`. */
export function readRaw(database: SyncedDatabase, id: string): Buffer | undefined {
  const level = database.current;
  if (level === undefined) throw new StorageUnavailable('The rows cannot be read for now');
  try {
    return level.getSync(id);
  } catch (cause) {
    throw readFailure(cause);
  }
}

/** A range of LevelDB's keys. */
export interface LevelRange {
  readonly gte: string;
  readonly lt: string;
  readonly reverse?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly firstBatch?: number | undefined;
}

/** Converts a range of keys in a space into a range of LevelDB's keys. */
export function rangeInSpace(space: string, range: ScanRange): LevelRange {
  const { gte, lt } = keyRange(range);
  return {
    gte: rowKey(space, gte),
    lt: lt === undefined ? endOfSpace(space) : rowKey(space, lt),
    reverse: range.reverse,
    limit: range.limit,
    firstBatch: range.firstBatch,
  };
}

/** A view of the database at one moment; it must be closed. */
export type Frozen = AbstractSnapshot;

/** The entries of a range, from one snapshot: a new one, or the given one. LevelDB reads them on another thread. */
export async function* readBatches<Value>(
  database: SyncedDatabase,
  range: LevelRange,
  valueEncoding: 'buffer' | 'utf8',
  snapshot?: Frozen,
): AsyncGenerator<[string, Value][]> {
  const level: Level = database.current ?? (await database.opened());
  const release = database.hold();
  const iterator = level.iterator<string, Value>({
    gte: range.gte,
    lt: range.lt,
    reverse: range.reverse ?? false,
    limit: range.limit ?? -1,
    highWaterMarkBytes: batchBytes,
    valueEncoding,
    ...(snapshot && { snapshot }),
  } as AbstractIteratorOptions<string, Value>);
  let rows = Math.min(range.firstBatch ?? batchRows, batchRows);
  try {
    for (;;) {
      const entries = await iterator.nextv(rows);
      if (entries.length === 0) return;
      yield entries;
      rows = batchRows;
    }
  } catch (cause) {
    throw readFailure(cause);
  } finally {
    await iterator.close();
    release();
  }
}

/** A row as it was stored at that moment. */
export async function readFrozen(
  database: SyncedDatabase,
  id: string,
  snapshot: Frozen,
): Promise<Buffer | undefined> {
  const level = database.current ?? (await database.opened());
  try {
    return await level.get(id, { snapshot });
  } catch (cause) {
    throw readFailure(cause);
  }
}

export function readFailure(cause: unknown): unknown {
  const { code } = cause as { code?: string };
  if (code === 'LEVEL_CORRUPTION') {
    return new RowsDamaged(`The rows are damaged: ${(cause as Error).message}`, { cause });
  }
  const away =
    code === 'LEVEL_IO_ERROR' ||
    code === 'LEVEL_DATABASE_NOT_OPEN' ||
    code === 'LEVEL_ITERATOR_NOT_OPEN' ||
    code === 'LEVEL_SNAPSHOT_NOT_OPEN';
  return away ? new StorageUnavailable('The rows cannot be read for now', { cause }) : cause;
}
