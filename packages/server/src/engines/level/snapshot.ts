import type { AbstractSnapshot } from 'abstract-level';
import type { ScanRange, TextRow } from '../item-store.js';
import type { FirstKeys, RangeCache } from './range-cache.js';
import {
  batchRows,
  type LevelRange,
  readBatches,
  readFailure,
  readKeys,
  readRows,
  readTexts,
} from './read.js';
import { decodeValue, dueKey, dueMark, parseDueKey } from './row-encoding.js';
import type { SyncedDatabase } from './synced-database.js';

/** So few rows are read synchronously: each takes 2–4 µs of the event loop, and a call of the thread pool some 70. */
const quickRows = 16;

/** What is stored at this moment: later writes do not show. The names of keys are those of LevelDB. */
export interface LevelSnapshot {
  keys(range: LevelRange): AsyncIterable<readonly string[]>;
  /** The rows of a range as they are stored. */
  rows(range: LevelRange): AsyncIterable<readonly [string, Buffer][]>;
  /** The rows of a range in a space, whose values are text. */
  scanText(space: string, range: ScanRange): AsyncIterable<readonly TextRow[]>;
  /** The stored values as text. */
  texts(ids: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** The names of the rows that are due, in all spaces; undefined if there are more than `limit`. */
  dueIds(beforeSeconds: number, limit: number): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

/** What is in memory of the rows. */
export interface CachedRows {
  /** Counts the moments at which what readers see may change: when a batch is handed over, and when it is written. */
  epoch(): number;
  /** Its members are called and removed before the epoch changes. */
  readonly beforeNextEpoch: Set<() => void>;
  /** Whether a batch is being written. */
  isWriting(): boolean;
  /** The row as it is stored, if it is in memory and no batch in progress changes it. */
  row(id: string): Buffer | undefined;
  /** Adds a row that was read, unless a batch in progress changes it. */
  addRow(id: string, raw: Buffer): void;
  readonly ranges: RangeCache;
}

/**
 * While the epoch is that of the snapshot, what is in memory is what the snapshot shows: nothing was written since, and
 * what a batch in progress changes is not in memory. So LevelDB's own snapshot is taken when it is first needed, or
 * before the epoch changes: it is an object outside the heap, which costs the garbage collector more than all the rest
 * of a query that finds everything in memory.
 */
export async function takeSnapshot(database: SyncedDatabase, cached: CachedRows): Promise<LevelSnapshot> {
  const level = database.current ?? (await database.opened());
  const release = database.hold();
  const epoch = cached.epoch();
  const isCurrent = () => cached.epoch() === epoch;
  let own: AbstractSnapshot | undefined;
  let failure: unknown;

  function takeOwn(): void {
    try {
      own = level.snapshot();
    } catch (cause) {
      failure = cause;
    }
  }

  function ownSnapshot(): AbstractSnapshot {
    if (cached.beforeNextEpoch.delete(takeOwn)) takeOwn();
    if (own === undefined) throw readFailure(database, failure);
    return own;
  }

  cached.beforeNextEpoch.add(takeOwn);

  function text(id: string): string | undefined {
    database.fences.check(id);
    const known = isCurrent() ? cached.row(id) : undefined;
    if (known !== undefined) return decodeValue(known).toString();
    const stored = level.getSync<string, Buffer>(id, {
      snapshot: ownSnapshot(),
      keyEncoding: 'utf8',
      valueEncoding: 'buffer',
    });
    const raw = stored && database.guard.row(id, stored);
    if (raw === undefined) return undefined;
    if (isCurrent()) cached.addRow(id, raw);
    return decodeValue(raw).toString();
  }

  /** Reads the first keys of a range, or all of a range with a limit, and remembers them. */
  async function firstKeys(range: LevelRange, count: number): Promise<FirstKeys> {
    const known = cached.ranges.get(range, count, epoch);
    if (known !== undefined && !database.fences.crosses(range.gte, range.lt)) return known;
    let keys: readonly string[] = [];
    const wanted = { ...range, limit: count, firstBatch: count };
    for await (const batch of readKeys(database, wanted, ownSnapshot())) {
      keys = keys.length === 0 ? batch : [...keys, ...batch];
    }
    const first = { keys, isAll: keys.length < count };
    if (isCurrent() && !cached.isWriting()) cached.ranges.add(range, count, first, epoch);
    return first;
  }

  return {
    async *keys(range) {
      const count = Math.min(range.limit ?? batchRows, range.firstBatch ?? batchRows);
      const { keys, isAll } = await firstKeys(range, count);
      if (keys.length > 0) yield keys;
      if (isAll || count === range.limit) return;
      const last = keys.at(-1) as string;
      const bound = range.reverse ? { lt: last } : { gte: `${last}\0` };
      const limit = range.limit === undefined ? undefined : range.limit - count;
      yield* readKeys(database, { ...range, ...bound, limit, firstBatch: batchRows }, ownSnapshot());
    },

    rows: (range) => readRows(database, range, { frozen: ownSnapshot() }),
    scanText: (space, range) => readTexts(database, space, range, ownSnapshot()),

    async texts(ids) {
      try {
        if (ids.length <= quickRows) return ids.map(text);
        for (const id of ids) database.fences.check(id);
        const raws = await level.getMany<string, string>([...ids], {
          snapshot: ownSnapshot(),
          valueEncoding: 'utf8',
        });
        return raws.map((raw, at) => raw && database.guard.text(ids[at] as string, raw));
      } catch (cause) {
        throw readFailure(database, cause);
      }
    },

    async dueIds(beforeSeconds, limit) {
      const due = { gte: dueMark, lt: dueKey(beforeSeconds + 1, ''), limit: limit + 1 };
      const ids: string[] = [];
      for await (const entries of readBatches<Buffer>(database, due, 'buffer', { frozen: ownSnapshot() }))
        for (const [entry] of entries) ids.push(parseDueKey(entry).rowKey);
      return ids.length > limit ? undefined : ids;
    },

    async close() {
      cached.beforeNextEpoch.delete(takeOwn);
      try {
        await own?.close();
      } finally {
        release();
      }
    },
  };
}
