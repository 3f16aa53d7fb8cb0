import type { AbstractIteratorOptions } from 'abstract-level';
import { compareUtf8 } from '../../lib/utf8-order.js';
import type { KeyBounds, RowHead } from '../item-store.js';
import { type Frozen, rangeInSpace, readFailure } from './read.js';
import { behindDueIndex, dueOf, endOfSpace, parseRowKey, rowKey } from './row-encoding.js';
import type { SyncedDatabase } from './synced-database.js';

/** The first entry from a key of LevelDB on. */
type Seek<Value> = (from: string) => Promise<readonly [key: string, value: Value] | undefined>;

/** One iterator goes from place to place: to make one takes three times as long as to seek. */
async function seeking<Value, Result>(
  database: SyncedDatabase,
  options: Pick<AbstractIteratorOptions<string, Value>, 'values' | 'valueEncoding' | 'snapshot'>,
  work: (seek: Seek<Value>) => Promise<Result>,
): Promise<Result> {
  const level = database.current ?? (await database.opened());
  const release = database.hold();
  const iterator = level.iterator<string, Value>({ ...options, gte: behindDueIndex });
  try {
    return await work(async (from) => {
      iterator.seek(from);
      const [entry] = await iterator.nextv(1);
      return entry;
    });
  } catch (cause) {
    throw readFailure(cause);
  } finally {
    await iterator.close();
    release();
  }
}

export interface SpacesFrom {
  readonly from: string;
  readonly prefix: string;
  /** The maximum number of spaces. */
  readonly count: number;
}

/** The first spaces whose rows come at a key of LevelDB or behind it. */
export async function spacesFrom(
  database: SyncedDatabase,
  { from, prefix, count }: SpacesFrom,
  snapshot?: Frozen,
): Promise<readonly string[]> {
  return await seeking(database, { values: false, ...(snapshot && { snapshot }) }, async (seek) => {
    const found: string[] = [];
    let at = from === '' ? behindDueIndex : from;
    while (found.length < count) {
      const entry = await seek(at);
      if (entry === undefined) break;
      const { space } = parseRowKey(entry[0]);
      if (!space.startsWith(prefix)) break;
      found.push(space);
      at = endOfSpace(space);
    }
    return found;
  });
}

/** The first row of the range in each space. */
export async function readFirstRows(
  database: SyncedDatabase,
  spaces: readonly string[],
  range: KeyBounds,
): Promise<readonly (RowHead | undefined)[]> {
  return await seeking<Buffer, (RowHead | undefined)[]>(
    database,
    { valueEncoding: 'buffer' },
    async (seek) => {
      const heads: (RowHead | undefined)[] = [];
      for (const space of spaces) {
        const { gte, lt } = rangeInSpace(space, range);
        const entry = await seek(gte);
        const isIn = entry !== undefined && compareUtf8(entry[0], lt) < 0;
        heads.push(isIn ? headOf(space, entry[0], entry[1]) : undefined);
      }
      return heads;
    },
  );
}

function headOf(space: string, id: string, raw: Buffer): RowHead {
  const key = id.slice(rowKey(space, '').length);
  const dueSeconds = dueOf(raw);
  return dueSeconds === undefined ? { key } : { key, dueSeconds };
}
