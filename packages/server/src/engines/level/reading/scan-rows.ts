import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import type { FrozenRows, ScannedRow, ScanRange, SpaceRange } from '../../item-store.js';
import type { SyncedDatabase } from '../database/synced-database.js';
import { decodeValue, dueOf, endOfSpace, rowKey } from '../rows/row-encoding.js';
import { type Frozen, rangeInSpace, readBatches, readFrozen } from './read.js';
import { spacesFrom } from './seek.js';

/**
 * The rows of a range as they are now, or as they were at a frozen moment. Throws `RowsDamaged`, or leaves out damaged
 * rows.
 */
export async function* scanRows(
  database: SyncedDatabase,
  space: string,
  range: ScanRange = {},
  frozen?: Frozen,
): AsyncGenerator<readonly ScannedRow[]> {
  const { skipDamaged, withDue } = range;
  const { verifier } = database;
  for await (const entries of readBatches<Buffer>(database, rangeInSpace(space, range), 'buffer', {
    frozen,
  })) {
    const intact = entries.filter(([id, raw]) => verifier.row(id, raw, skipDamaged) !== undefined);
    yield intact.map(([id, raw]): ScannedRow => {
      const row = { key: id.slice(space.length + 1), value: decodeValue(raw) };
      return withDue ? { ...row, dueSeconds: dueOf(raw) } : row;
    });
  }
}

/** The names of the spaces that begin so, in their order. */
export async function* spacesIn(
  database: SyncedDatabase,
  prefix: string,
  range: SpaceRange = {},
  frozen?: Frozen,
): AsyncGenerator<string> {
  const { after, ahead: count = 1 } = range;
  let from = after === undefined || compareUtf8(after, prefix) < 0 ? prefix : endOfSpace(after);
  for (;;) {
    const found = await spacesFrom(database, { from, prefix, count }, frozen);
    yield* found;
    const last = found.at(-1);
    if (last === undefined || found.length < count) return;
    from = endOfSpace(last);
  }
}

/** The rows of this moment, until it is closed. */
export async function freezeRows(database: SyncedDatabase): Promise<FrozenRows> {
  const level = database.current ?? (await database.opened());
  const release = database.noteReader();
  const frozen = level.snapshot();
  return {
    get: async (space, key) => valueIn(await readFrozen(database, rowKey(space, key), frozen)),
    scan: (space, range) => scanRows(database, space, range, frozen),
    spaces: (prefix, range) => spacesIn(database, prefix, range, frozen),
    async close() {
      release();
      await frozen.close();
    },
  };
}

/** The value of a stored row. */
export function valueIn(raw: Buffer | undefined): Buffer | undefined {
  return raw === undefined ? undefined : decodeValue(raw);
}
