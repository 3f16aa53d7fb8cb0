import type { AbstractSnapshot } from 'abstract-level';
import type { ScanRange, TextRow } from '../../item-store.js';
import { keyRange } from '../../shared/key-range.js';
import { dueRange, pageRange } from '../cache/key-pages.js';
import type { RowMemory } from '../cache/row-memory.js';
import type { Level, SyncedDatabase } from '../database/synced-database.js';
import { decodeValue, parseDueKey, rowKey } from '../rows/row-encoding.js';
import { createPagedKeys } from './paged-keys.js';
import { type LevelRange, rangeInSpace, readFailure, readKeys, readRows, readTexts } from './read.js';

/** Up to this many rows are read synchronously: each takes 2–4 µs of the event loop, and a call of the thread pool some 70. */
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

/** LevelDB at the moment of a snapshot. */
interface Moment {
  /** Whether what is in memory is what the snapshot shows. */
  isNow(): boolean;
  /** LevelDB's own snapshot. */
  own(): AbstractSnapshot;
  end(): Promise<void>;
}

/**
 * While the epoch is that of the snapshot, what is in memory is what the snapshot shows: nothing was written since, and
 * what a batch in progress changes is not in memory. So LevelDB's own snapshot is taken when it is first needed, or
 * before the epoch changes: it is an object outside the heap, which costs the garbage collector more than all the rest
 * of a query that finds everything in memory.
 */
function beginMoment(database: SyncedDatabase, level: Level, memory: RowMemory): Moment {
  const { beforeNextEpoch } = memory;
  const epoch = memory.epoch();
  let own: AbstractSnapshot | undefined;
  let failure: unknown;

  function takeOwn(): void {
    try {
      own = level.snapshot();
    } catch (cause) {
      failure = cause;
    }
  }

  beforeNextEpoch.add(takeOwn);
  return {
    isNow: () => memory.epoch() === epoch,

    own() {
      if (beforeNextEpoch.delete(takeOwn)) takeOwn();
      if (own === undefined) throw readFailure(database, failure);
      return own;
    },

    async end() {
      beforeNextEpoch.delete(takeOwn);
      await own?.close();
    },
  };
}

export async function takeSnapshot(database: SyncedDatabase, memory: RowMemory): Promise<LevelSnapshot> {
  const level = database.current ?? (await database.opened());
  const release = database.hold();
  const moment = beginMoment(database, level, memory);

  function text(id: string): string | undefined {
    database.fences.check(id);
    const known = moment.isNow() ? memory.cache.get(id) : undefined;
    if (known !== undefined) return decodeValue(known).toString();
    const stored = level.getSync<string, Buffer>(id, {
      snapshot: moment.own(),
      keyEncoding: 'utf8',
      valueEncoding: 'buffer',
    });
    const raw = stored && database.verifier.row(id, stored);
    if (raw === undefined) return undefined;
    if (moment.isNow()) memory.add(id, raw);
    return decodeValue(raw).toString();
  }

  const { keys: keptKeys, counts } = createPagedKeys({
    database,
    pages: memory.pages,
    arePagesOfMoment: () => moment.isNow() && database.fences.isEmpty,
    moment: moment.own,
  });

  async function* keysFromLevel(start: string, range: LevelRange): AsyncGenerator<readonly string[]> {
    for await (const { ids } of readKeys(database, range, moment.own())) {
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

    dueKeys: (space, beforeSeconds, limit) =>
      dueKeysOf(keptKeys(dueRange(beforeSeconds), limit + 1), space, limit),

    rows: (range) => readRows(database, range, { frozen: moment.own() }),
    scanText: (space, range) => readTexts(database, space, range, moment.own()),

    async texts(ids) {
      try {
        if (ids.length <= quickRows) return ids.map(text);
        for (const id of ids) database.fences.check(id);
        const raws = await level.getMany<string, string>([...ids], {
          snapshot: moment.own(),
          valueEncoding: 'utf8',
        });
        return raws.map((raw, at) => raw && database.verifier.textRow(ids[at] as string, 0, raw)?.text);
      } catch (cause) {
        throw readFailure(database, cause);
      }
    },

    async close() {
      try {
        await moment.end();
      } finally {
        release();
      }
    },
  };
}

/** The keys of a space among the first entries of the due index; undefined if there are more than the limit. */
async function dueKeysOf(
  found: AsyncIterable<readonly string[]>,
  space: string,
  limit: number,
): Promise<readonly string[] | undefined> {
  const start = rowKey(space, '');
  const keys: string[] = [];
  let count = 0;
  for await (const entries of found) {
    count += entries.length;
    for (const entry of entries) {
      const { rowKey: id } = parseDueKey(entry);
      if (id.startsWith(start)) keys.push(id.slice(start.length));
    }
  }
  return count > limit ? undefined : keys;
}

/** The range of a space without its bounds in LevelDB, if its keys are kept. */
function keysIn(space: string, range: ScanRange) {
  const start = rowKey(space, '');
  const { limit = Number.POSITIVE_INFINITY, reverse = false } = range;
  return { start, limit, kept: pageRange(start, keyRange(range), reverse) };
}
