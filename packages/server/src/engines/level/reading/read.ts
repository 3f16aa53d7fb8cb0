import type { AbstractIteratorOptions, AbstractSnapshot } from 'abstract-level';
import { noteExternalMemory } from '../../../lib/external-memory.js';
import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import type { ScanRange, TextRow } from '../../item-store.js';
import { keyRange } from '../../shared/key-range.js';
import { RowsDamaged, StorageUnavailable } from '../../storage-errors.js';
import { type Fences, fencedOff, type KeySpan, keyAfter } from '../damage/fences.js';
import type { Level, SyncedDatabase } from '../database/synced-database.js';
import { dueMark, endOfSpace, parseRowKey, rowKey, seedOf } from '../rows/row-encoding.js';

/** How many rows are read at first, where nobody says how many are wanted. */
export const batchRows = 256;
/**
 * The rows and the bytes of a later call of LevelDB's thread, at most. Of 100,000 rows of 300 bytes, each took 1.0 to 1.3 µs
 * of processor time with 256 rows and 64 KiB a call, and 0.87 with 1000 rows and 256 KiB. The event loop needs 0.3 ms
 * for the rows of such a call.
 */
const laterRows = 512;
const batchBytes = 256 * 1024;
/** What an iterator has of memory for each row of a call, besides its bytes. */
const placeBytes = 64;
/** After every key, which is text. */
export const lastKey = '\u{10ffff}';

/** A row as it is stored, read synchronously. Throws `StorageUnavailable`, `RowsDamaged`. */
export function readRaw(database: SyncedDatabase, id: string): Buffer | undefined {
  const level = database.current;
  if (level === undefined) throw beingOpened();
  database.fences.check(id);
  database.activity.reads++;
  let raw: Buffer | undefined;
  try {
    raw = level.getSync(id);
  } catch (cause) {
    throw readFailure(database, cause);
  }
  return raw && database.verifier.row(id, raw);
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

/** The rows of a range in a space, whose values are text. */
export async function* readTexts(
  database: SyncedDatabase,
  space: string,
  range: ScanRange,
  frozen?: Frozen,
): AsyncGenerator<TextRow[]> {
  const { verifier } = database;
  const keyStart = rowKey(space, '').length;
  const seedOfSpace = seedOf(rowKey(space, ''));
  for await (const entries of readBatches<string>(database, rangeInSpace(space, range), 'utf8', { frozen })) {
    const rows = new Array<TextRow>(entries.length);
    let count = 0;
    for (const [id, raw] of entries) {
      const seed = seedOf(id, keyStart, seedOfSpace);
      const row = verifier.textRow(id, keyStart, raw, seed, range.skipDamaged);
      if (row !== undefined) rows[count++] = row;
    }
    rows.length = count;
    yield rows;
  }
}

/** A batch of keys in LevelDB, and whether there are others whose rows are damaged and left out. */
export interface ReadKeys {
  readonly ids: readonly string[];
  readonly isDamaged: boolean;
}

/** The keys of a range at a moment. Most of their values are those of entries of indexes: nothing but a checksum. */
export async function* readKeys(
  database: SyncedDatabase,
  range: LevelRange,
  frozen: Frozen,
): AsyncGenerator<ReadKeys, void, undefined> {
  const { verifier } = database;
  // The entries of the due index have no checksums.
  const areChecked = !range.gte.startsWith(dueMark);
  for await (const entries of readBatches<string>(database, range, 'utf8', { frozen })) {
    const ids: string[] = [];
    for (const [id, raw] of entries) {
      // A value that is not text is not what was stored when it is read as such.
      const isIntact =
        !areChecked ||
        verifier.isIntactText(id, raw) ||
        (await readFrozen(database, id, frozen)) !== undefined;
      if (isIntact) ids.push(id);
    }
    yield { ids, isDamaged: ids.length < entries.length };
  }
}

export interface EntryOptions {
  readonly frozen?: Frozen | undefined;
  /** Whether to read what is fenced off, too. */
  readonly beyondFences?: boolean;
}

/**
 * The entries of a range, which nobody has compared with their checksums, from one snapshot: a new one, or the given
 * one. LevelDB reads them on another thread.
 */
export async function* readBatches<Value extends string | Buffer>(
  database: SyncedDatabase,
  range: SomeRange,
  valueEncoding: 'buffer' | 'utf8',
  { frozen, beyondFences = false }: EntryOptions = {},
): AsyncGenerator<[string, Value][]> {
  const level: Level = database.current ?? (await database.opened());
  const release = database.hold();
  const iterator = level.iterator<string, Value>({
    gte: range.gte,
    ...(range.lt !== undefined && { lt: range.lt }),
    reverse: range.reverse ?? false,
    limit: range.limit ?? -1,
    highWaterMarkBytes: batchBytes,
    valueEncoding,
    ...(frozen && { snapshot: frozen }),
  } as AbstractIteratorOptions<string, Value>);
  let rows = Math.min(range.firstBatch ?? batchRows, laterRows);
  const outside = createOutside(database.fences, range);
  let entries: [string, Value][] = [];
  try {
    for (;;) {
      entries = await iterator.nextv(rows);
      if (!database.fences.isEmpty && !beyondFences) yield* outside(entries);
      else if (entries.length > 0) yield entries;
      if (entries.length === 0) return;
      rows = laterRows;
    }
  } catch (cause) {
    throw readFailure(database, cause);
  } finally {
    await iterator.close();
    release();
    // The iterator still has its last entries, and their places.
    noteExternalMemory(rows * placeBytes + bytesIn(entries));
  }
}

function bytesIn(entries: readonly [string, { readonly length: number }][]): number {
  let bytes = 0;
  for (const [key, value] of entries) bytes += key.length + value.length;
  return bytes;
}

type SomeRange = Pick<LevelRange, 'gte'> & Partial<LevelRange>;

/**
 * Makes the function that gives those of the next entries of a range that come before a fence, and then throws
 * `RowsDamaged`. No entries stand for the end of the range.
 */
function createOutside(fences: Fences, { gte, lt = lastKey, reverse = false, limit }: SomeRange) {
  /** What is left of the range. */
  let rest = { from: gte, before: lt };
  let left = limit ?? Number.POSITIVE_INFINITY;

  /** The part of the rest of the range up to this entry. */
  const stepTo = (id: string) =>
    reverse ? { from: id, before: rest.before } : { from: rest.from, before: keyAfter(id) };

  /** Who reads upwards may continue after a fence that ends within the range. */
  const failureAt = ({ to }: KeySpan) => {
    const end = to.toString();
    const isText = Buffer.from(end).equals(to);
    const isWithin = isText && compareUtf8(gte, end) < 0 && compareUtf8(end, lt) < 0;
    return fencedOff(!reverse && isWithin ? parseRowKey(end).key : undefined);
  };

  return function* <Value>(entries: [string, Value][]): Generator<[string, Value][]> {
    const inRest = entries.length === 0 && left > 0 ? fences.crossing(rest.from, rest.before) : undefined;
    if (inRest !== undefined) throw failureAt(inRest);
    for (const [at, [id]] of entries.entries()) {
      const { from, before } = stepTo(id);
      const fence = fences.crossing(from, before);
      if (fence !== undefined) {
        if (at > 0) yield entries.slice(0, at);
        throw failureAt(fence);
      }
      rest = reverse ? { from: rest.from, before: id } : { from: before, before: rest.before };
    }
    left -= entries.length;
    if (entries.length > 0) yield entries;
  };
}

/** A row as it was stored at that moment. */
export async function readFrozen(
  database: SyncedDatabase,
  id: string,
  snapshot: Frozen,
): Promise<Buffer | undefined> {
  const level = database.current ?? (await database.opened());
  database.fences.check(id);
  const raw = await level.get(id, { snapshot }).catch((cause) => {
    throw readFailure(database, cause);
  });
  return raw && database.verifier.row(id, raw);
}

export function readFailure(database: SyncedDatabase, cause: unknown): unknown {
  const { code } = cause as { code?: string };
  if (code === 'LEVEL_CORRUPTION') {
    database.noteCorruption();
    return new RowsDamaged(`The rows are damaged: ${(cause as Error).message}`, { cause });
  }
  if (code === 'LEVEL_IO_ERROR') return new StorageUnavailable('The rows cannot be read for now', { cause });
  const isClosed =
    code === 'LEVEL_DATABASE_NOT_OPEN' ||
    code === 'LEVEL_ITERATOR_NOT_OPEN' ||
    code === 'LEVEL_SNAPSHOT_NOT_OPEN';
  return isClosed ? beingOpened(cause) : cause;
}

/** The error for whoever reads while LevelDB is closed and opened again after a failed write. */
function beingOpened(cause?: unknown): StorageUnavailable {
  const reason = 'a write has failed, and the rows are opened again';
  return new StorageUnavailable('The rows cannot be read for now', { cause, reason });
}
