import type { AbstractIteratorOptions } from 'abstract-level';
import { compareUtf8 } from '../../lib/utf8-order.js';
import type { Change, Decide, DueRow, ItemStore, ScannedRow, ScanRange } from '../item-store.js';
import { createGroupCommit, type Operation } from '../shared/group-commit.js';
import { keyRange } from '../shared/key-range.js';
import { RowsDamaged, StorageUnavailable } from '../storage-errors.js';
import { createDueIndex } from './due-index.js';
import { type Level, type LevelHandle, openFolderLevel, openMemoryLevel } from './handle.js';
import type { FolderLocation } from './open-folder.js';
import { createRowCache } from './row-cache.js';
import {
  behindDueIndex,
  decodeText,
  decodeValue,
  dueKey,
  dueMark,
  dueOf,
  encodeValue,
  endOfSpace,
  parseDueKey,
  parseRowKey,
  rowKey,
} from './row-encoding.js';

const batchRows = 256;
const batchBytes = 64 * 1024;
const rowCacheBytes = 44 * 1024 * 1024;

/** The row engine of one machine: LevelDB in a folder, or the same code over memory. */
export async function openLevelStore(location: FolderLocation | { memory: true }): Promise<ItemStore> {
  const handle = 'folder' in location ? await openFolderLevel(location) : await openMemoryLevel();
  const cache = createRowCache(rowCacheBytes);
  /** The keys of the batch that is being written. */
  const underWay = new Set<string>();
  // One process owns the store, so what is read here stays true until the batch is written.
  const commit = createGroupCommit(async (_keys, decide) => {
    if (handle.current === undefined) await handle.opened();
    const operations = decide(readRow);
    if (operations.length > 0)
      await write(dueIndex.withEntries(operations, (id) => cache.peek(id) ?? readRaw(handle, id)));
  });
  const dueIndex = createDueIndex(async function* () {
    // After the group that is being written.
    await commit.submit([], () => ({ operations: [], result: undefined }));
    for await (const entries of batches<Buffer>(handle, { gte: dueMark, lt: behindDueIndex }, 'buffer')) {
      yield entries.map(([entry]) => parseDueKey(entry).rowKey);
    }
  });
  const learnDue = () => dueIndex.learn().catch(() => {});
  void learnDue();

  async function write(operations: readonly Operation[]): Promise<void> {
    // While it is under way, its rows are read where they lie. From the cache a reader could have one as it was,
    // and another beside it, from LevelDB, as it is. Those that somebody asked for come back behind it.
    const hot = new Set<string>();
    for (const { key } of operations) {
      underWay.add(key);
      if (cache.remove(key)) hot.add(key);
    }
    try {
      await handle.write(operations);
    } finally {
      underWay.clear();
    }
    if (hot.size === 0) return;
    // The last one of a key counts.
    for (const operation of operations.toReversed()) {
      if (hot.delete(operation.key) && operation.type === 'put')
        cache.addWritten(operation.key, operation.value);
    }
  }

  function readRow(id: string): Buffer | undefined {
    const cached = cache.get(id);
    if (cached !== undefined) return cached;
    const raw = readRaw(handle, id);
    if (raw !== undefined && !underWay.has(id)) cache.add(id, raw);
    return raw;
  }

  return {
    isShared: false,

    /**
     * Reads in place: at 2–4 µs a read costs the event loop less than a thread's answer would; a row that is
     * in no cache costs it one read of the disk.
     */
    get(space, key) {
      const id = rowKey(space, key);
      if (handle.current === undefined) return handle.opened().then(() => valueIn(readRow(id)));
      return valueIn(readRow(id));
    },

    transact<T>(space: string, keys: readonly string[], decide: Decide<T>) {
      const ids = keys.map((key) => rowKey(space, key));
      return commit.submit<T>(ids, (raws) => {
        const change = decide(raws.map(valueIn));
        const operations = operationsOf(space, change);
        return { operations, result: change.result };
      });
    },

    async *scan(space, range = {}) {
      for await (const entries of batches<Buffer>(handle, rangeInSpace(space, range), 'buffer')) {
        yield entries.map(([id, raw]): ScannedRow => {
          const row = { key: id.slice(space.length + 1), value: decodeValue(raw) };
          return range.withDue ? { ...row, dueSeconds: dueOf(raw) } : row;
        });
      }
    },

    async *scanText(space, range = {}) {
      for await (const entries of batches<string>(handle, rangeInSpace(space, range), 'utf8')) {
        yield entries.map(([id, raw]) => ({ key: id.slice(space.length + 1), text: decodeText(raw) }));
      }
    },

    async *spaces(prefix, after) {
      let from = after === undefined || compareUtf8(after, prefix) < 0 ? prefix : endOfSpace(after);
      for (;;) {
        const first = await firstKey(handle, from);
        if (first === undefined) return;
        const { space } = parseRowKey(first);
        if (!space.startsWith(prefix)) return;
        yield space;
        from = endOfSpace(space);
      }
    },

    async due(beforeSeconds, limit) {
      void learnDue();
      const found: DueRow[] = [];
      const stretch = { gte: dueMark, lt: dueKey(beforeSeconds + 1, '') };
      for await (const entries of batches<Buffer>(handle, stretch, 'buffer')) {
        for (const [entry] of entries) {
          if (found.length === limit) return found;
          const { seconds, rowKey: id } = parseDueKey(entry);
          if (dueOf(readRaw(handle, id)) === seconds) found.push(parseRowKey(id));
          else await dropStaleEntry(entry);
        }
      }
      return found;
    },

    verify: handle.verify,

    async close() {
      await commit.idle();
      await handle.close();
    },
  };

  /** Looks again inside the commit: the row may have been put with this very time a moment ago. */
  async function dropStaleEntry(entry: string): Promise<void> {
    const { seconds, rowKey: id } = parseDueKey(entry);
    await commit.submit([id], ([raw]) => ({
      operations: dueOf(raw) === seconds ? [] : [{ type: 'del', key: entry }],
      result: undefined,
    }));
  }
}

function operationsOf<T>(space: string, change: Change<T>): Operation[] {
  const operations: Operation[] = [];
  for (const put of change.puts ?? []) {
    const key = rowKey(space, put.key);
    operations.push({ type: 'put', key, value: encodeValue(put) });
  }
  for (const key of change.deletes ?? []) operations.push({ type: 'del', key: rowKey(space, key) });
  return operations;
}

function valueIn(raw: Buffer | undefined): Buffer | undefined {
  return raw === undefined ? undefined : decodeValue(raw);
}

function readRaw(handle: LevelHandle, id: string): Buffer | undefined {
  const level = handle.current;
  if (level === undefined) throw new StorageUnavailable('The rows cannot be read for now');
  try {
    return level.getSync(id);
  } catch (cause) {
    throw readFailure(cause);
  }
}

interface LevelRange {
  readonly gte: string;
  readonly lt: string;
  readonly reverse?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly firstBatch?: number | undefined;
}

function rangeInSpace(space: string, range: ScanRange): LevelRange {
  const { gte, lt } = keyRange(range);
  return {
    gte: rowKey(space, gte),
    lt: lt === undefined ? endOfSpace(space) : rowKey(space, lt),
    reverse: range.reverse,
    limit: range.limit,
    firstBatch: range.firstBatch,
  };
}

/** LevelDB reads them on a thread of its own; an iterator sees one moment of the store. */
async function* batches<Value>(
  handle: LevelHandle,
  stretch: LevelRange,
  valueEncoding: 'buffer' | 'utf8',
): AsyncGenerator<[string, Value][]> {
  const level: Level = handle.current ?? (await handle.opened());
  const release = handle.hold();
  const iterator = level.iterator<string, Value>({
    gte: stretch.gte,
    lt: stretch.lt,
    reverse: stretch.reverse ?? false,
    limit: stretch.limit ?? -1,
    highWaterMarkBytes: batchBytes,
    valueEncoding,
  } as AbstractIteratorOptions<string, Value>);
  let rows = Math.min(stretch.firstBatch ?? batchRows, batchRows);
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

async function firstKey(handle: LevelHandle, gte: string): Promise<string | undefined> {
  const level = handle.current ?? (await handle.opened());
  const keys = level.keys({ gte: gte === '' ? behindDueIndex : gte, limit: 1 });
  const [key] = await keys.all().catch((cause) => {
    throw readFailure(cause);
  });
  return key;
}

function readFailure(cause: unknown): unknown {
  const { code } = cause as { code?: string };
  if (code === 'LEVEL_CORRUPTION') {
    return new RowsDamaged(`The rows are damaged: ${(cause as Error).message}`, { cause });
  }
  const away =
    code === 'LEVEL_IO_ERROR' || code === 'LEVEL_DATABASE_NOT_OPEN' || code === 'LEVEL_ITERATOR_NOT_OPEN';
  return away ? new StorageUnavailable('The rows cannot be read for now', { cause }) : cause;
}
