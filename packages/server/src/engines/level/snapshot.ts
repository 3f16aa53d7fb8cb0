import type { AbstractSnapshot } from 'abstract-level';
import type { ScanRange, TextRow } from '../item-store.js';
import { keyRange } from '../shared/key-range.js';
import { createKeptKeys } from './kept-keys.js';
import { dueRange, type KeyPages, pageRange } from './key-pages.js';
import { type LevelRange, rangeInSpace, readFailure, readKeys, readRows, readTexts } from './read.js';
import { decodeValue, parseDueKey, rowKey } from './row-encoding.js';
import type { SyncedDatabase } from './synced-database.js';

/** So few rows are read synchronously: each takes 2–4 µs of the event loop, and a call of the thread pool some 70. */
const quickRows = 16;

/** What is stored at this moment: later writes do not show. The names of keys are those of LevelDB. */
export interface LevelSnapshot {
  /** The keys of a range in a space, those of indexes from memory. */
  keys(space: string, range: ScanRange): AsyncIterable<readonly string[]>;
  counts(space: string, range: ScanRange): AsyncIterable<number>;
  /** As in the contract of the item store. */
  dueKeys(space: string, beforeSeconds: number, limit: number): Promise<readonly string[] | undefined>;
  /** The rows of a range as they are stored. */
  rows(range: LevelRange): AsyncIterable<readonly [string, Buffer][]>;
  /** The rows of a range in a space, whose values are text. */
  scanText(space: string, range: ScanRange): AsyncIterable<readonly TextRow[]>;
  /** The stored values as text. */
  texts(ids: readonly string[]): Promise<readonly (string | undefined)[]>;
  close(): Promise<void>;
}

/** What is in memory of the rows. */
export interface CachedRows {
  /** Counts the moments at which what readers see may change: when a batch is handed over, and when it is written. */
  epoch(): number;
  /** Its members are called and removed before the epoch changes. */
  readonly beforeNextEpoch: Set<() => void>;
  /** The row as it is stored, if it is in memory and no batch in progress changes it. */
  row(id: string): Buffer | undefined;
  /** Adds a row that was read, unless a batch in progress changes it. */
  addRow(id: string, raw: Buffer): void;
  readonly pages: KeyPages;
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

  const { keys: keptKeys, counts } = createKeptKeys({
    database,
    pages: cached.pages,
    arePagesOfMoment: () => isCurrent() && database.fences.isEmpty,
    moment: ownSnapshot,
  });

  async function* keysFromLevel(start: string, range: LevelRange): AsyncGenerator<readonly string[]> {
    for await (const { ids } of readKeys(database, range, ownSnapshot())) {
      yield ids.map((id) => id.slice(start.length));
    }
  }

  return {
    keys(space, range) {
      const { start, kept, limit } = keysIn(space, range);
      return kept === undefined ? keysFromLevel(start, rangeInSpace(space, range)) : keptKeys(kept, limit);
    },

    async *counts(space, range) {
      const { start, kept } = keysIn(space, range);
      if (kept !== undefined) yield* counts(kept);
      else for await (const keys of keysFromLevel(start, rangeInSpace(space, range))) yield keys.length;
    },

    async dueKeys(space, beforeSeconds, limit) {
      const start = rowKey(space, '');
      const found: string[] = [];
      let count = 0;
      for await (const entries of keptKeys(dueRange(beforeSeconds), limit + 1)) {
        count += entries.length;
        for (const entry of entries) {
          const { rowKey: id } = parseDueKey(entry);
          if (id.startsWith(start)) found.push(id.slice(start.length));
        }
      }
      return count > limit ? undefined : found;
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

/** The range of a space without its bounds in LevelDB, if its keys are kept. */
function keysIn(space: string, range: ScanRange) {
  const start = rowKey(space, '');
  const { limit = Number.POSITIVE_INFINITY, reverse = false } = range;
  return { start, limit, kept: pageRange(start, keyRange(range), reverse) };
}
