import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import type { KeyBounds, RowHead } from '../../item-store.js';
import { keyAfter } from '../damage/fences.js';
import type { SyncedDatabase } from '../database/synced-database.js';
import { afterDueIndex, dueOf, endOfSpace, parseRowKey, rowKey } from '../rows/row-encoding.js';
import { type Frozen, lastKey, rangeInSpace, readFailure } from './read.js';

/** The first entry from a key of LevelDB on. */
type Seek = (from: string) => Promise<readonly [key: string, value: Buffer] | undefined>;

/** One iterator seeks from place to place: making another takes three times as long as a seek. */
async function seeking<Result>(
  database: SyncedDatabase,
  snapshot: Frozen | undefined,
  work: (seek: Seek) => Promise<Result>,
): Promise<Result> {
  const level = database.current ?? (await database.opened());
  const release = database.hold();
  const options = { gte: afterDueIndex, valueEncoding: 'buffer', ...(snapshot && { snapshot }) };
  const iterator = level.iterator<string, Buffer>(options);
  try {
    return await work(async (from) => {
      iterator.seek(from);
      const [entry] = await iterator.nextv(1);
      if (!database.fences.isEmpty)
        database.fences.checkSpan(from, entry === undefined ? lastKey : keyAfter(entry[0]));
      return entry;
    });
  } catch (cause) {
    throw readFailure(database, cause);
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

/** The first spaces whose rows come at a key of LevelDB or after it. */
export async function spacesFrom(
  database: SyncedDatabase,
  { from, prefix, count }: SpacesFrom,
  snapshot?: Frozen,
): Promise<readonly string[]> {
  return await seeking(database, snapshot, async (seek) => {
    const found: string[] = [];
    let at = from === '' ? afterDueIndex : from;
    while (found.length < count) {
      const entry = await seek(at);
      if (entry === undefined) break;
      if (database.verifier.row(...entry) === undefined) {
        at = `${entry[0]}\0`;
        continue;
      }
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
  return await seeking(database, undefined, async (seek) => {
    const heads: (RowHead | undefined)[] = [];
    for (const space of spaces) heads.push(await firstHead(database, seek, space, range));
    return heads;
  });
}

async function firstHead(
  { verifier }: SyncedDatabase,
  seek: Seek,
  space: string,
  range: KeyBounds,
): Promise<RowHead | undefined> {
  const { gte, lt } = rangeInSpace(space, range);
  for (let from = gte; ; ) {
    const entry = await seek(from);
    if (entry === undefined || compareUtf8(entry[0], lt) >= 0) return undefined;
    const [id, raw] = entry;
    if (verifier.row(id, raw) !== undefined) return headOf(space, id, raw);
    from = `${id}\0`;
  }
}

function headOf(space: string, id: string, raw: Buffer): RowHead {
  const key = id.slice(rowKey(space, '').length);
  const dueSeconds = dueOf(raw);
  return dueSeconds === undefined ? { key } : { key, dueSeconds };
}
