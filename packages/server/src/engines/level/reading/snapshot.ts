import type { AbstractSnapshot } from 'abstract-level';
import type { ScanRange, Snapshot } from '../../item-store.js';
import { dueRange, pageRange } from '../cache/key-pages.js';
import type { RowMemory } from '../cache/row-memory.js';
import type { Level, SyncedDatabase } from '../database/synced-database.js';
import { decodeValue, parseDueKey, rowKey } from '../rows/row-encoding.js';
import { createPagedKeys } from './paged-keys.js';
import { rangeInSpace, readFailure, readKeys, readTexts } from './read.js';
import { scanRows } from './scan-rows.js';

/** Up to this many rows are read synchronously: each takes 2–4 µs of the event loop, and a call of the thread pool some 70. */
const quickRows = 16;

/**
 * LevelDB at the moment of a snapshot.
 *
 * While the epoch is that of the snapshot, what is in memory is what the snapshot shows: nothing was written since, and
 * what a batch in progress changes is not in memory. So LevelDB's own snapshot is taken when it is first needed, or
 * before the epoch changes: it is an object outside the heap, which costs the garbage collector more than all the rest
 * of a query that finds everything in memory.
 */
function beginMoment(database: SyncedDatabase, level: Level, memory: RowMemory) {
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
    /** Whether what is in memory is what the snapshot shows. */
    isNow: () => memory.epoch() === epoch,

    /** LevelDB's own snapshot. */
    own(): AbstractSnapshot {
      if (beforeNextEpoch.delete(takeOwn)) takeOwn();
      if (own === undefined) throw readFailure(database, failure);
      return own;
    },

    async end(): Promise<void> {
      beforeNextEpoch.delete(takeOwn);
      await own?.close();
    },
  };
}

/** A space as it is stored at this moment: later writes do not show. The keys of indexes are read from memory. */
export async function takeSnapshot(
  database: SyncedDatabase,
  memory: RowMemory,
  space: string,
): Promise<Snapshot> {
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

  const start = rowKey(space, '');

  async function* keysFromLevel(range: ScanRange): AsyncGenerator<readonly string[]> {
    for await (const { ids } of readKeys(database, rangeInSpace(space, range), moment.own())) {
      yield ids.map((id) => id.slice(start.length));
    }
  }

  return {
    keys(range) {
      const kept = pageRange(start, range);
      return kept === undefined ? keysFromLevel(range) : keptKeys(kept, range.limit);
    },

    async *counts(range) {
      const kept = pageRange(start, range);
      if (kept !== undefined) yield* counts(kept);
      else for await (const keys of keysFromLevel(range)) yield keys.length;
    },

    dueKeys: (beforeSeconds, limit) => dueKeysOf(keptKeys(dueRange(beforeSeconds), limit + 1), start, limit),

    scan: (range) => scanRows(database, space, range, moment.own()),
    scanText: (range) => readTexts(database, space, range, moment.own()),

    async texts(keys) {
      const ids = keys.map((key) => start + key);
      try {
        if (ids.length <= quickRows) return ids.map(text);
        for (const id of ids) database.fences.check(id);
        const raws = await level.getMany<string, string>(ids, {
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
  start: string,
  limit: number,
): Promise<readonly string[] | undefined> {
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
