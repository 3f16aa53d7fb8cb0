import { whileWanted } from '../base/pages/while-wanted.js';
import { bases, type Collection, drives } from '../catalog/collections.js';
import { nameLists } from '../catalog/names.js';
import { nameKey } from '../drive/rows.js';
import type { ItemStore, Row, ScanRange } from '../engines/item-store.js';
import { runInSlices } from '../lib/concurrency/time-slices.js';
import type { Batch } from './batch.js';
import { changeTexts, type ProjectRows } from './change-lines.js';
import type { Position, SnapshotPosition } from './position.js';
import type { Selection } from './selection.js';

interface Reading {
  readonly items: ItemStore;
  readonly rows: ProjectRows;
  readonly selection: Selection;
  readonly most: () => number;
  readonly isOver: () => boolean;
}

const namesAtOnce = 100;
const collections = { bases, drives } as const;

/**
 * Everything that is there, as puts, from a position on. It is not one moment: what changes in the meantime comes in the
 * changes since the position was made, so that whoever applies both has the state of now.
 */
export async function* readSnapshot(reading: Reading, position: Position): AsyncGenerator<Batch> {
  const { project } = reading.rows;
  let at = position.snapshot as SnapshotPosition;
  for (const of of ['bases', 'drives'] as const) {
    if (of === 'bases' && at.of === 'drives') continue;
    const begins = at.of === of ? at : { of, name: '', key: '' };
    // Anybody can make a cursor that names what its reader may not see.
    if (begins.name !== '' && reading.selection[of].has(begins.name))
      yield* readCollection(reading, position, begins);
    const names = nameLists(
      reading.items,
      { prefix: '', last: begins.name },
      {
        visible: reading.selection[of],
        root: collections[of].spaceOf(project, ''),
        atOnce: namesAtOnce,
      },
    );
    for await (const list of names) {
      for (const name of list) yield* readCollection(reading, position, { of, name, key: '' });
    }
    at = { of: 'drives', name: '', key: '' };
  }
  yield { changes: [], position: { ...position, snapshot: undefined }, isLive: false };
}

/** The items of a base, or the files of a drive, after a key. */
async function* readCollection(
  { items, rows, selection, most, isOver }: Reading,
  position: Position,
  { of, name, key }: SnapshotPosition,
): AsyncGenerator<Batch> {
  const collection: Collection = collections[of];
  const before = of === 'drives' ? nameKey('') : '';
  const space = collection.spaceOf(rows.project, name);
  const prefix = before + selection.prefix;
  let last = key;
  for (;;) {
    const found = await firstBatch(items, space, {
      ...collection.rangeOf({ prefix, ...(last !== '' && { gt: before + last }) }),
      limit: most(),
    });
    if (found.length === 0) return;
    const puts = found.map(({ key: rowKey, value: row }) => {
      last = rowKey.slice(before.length);
      return { changed: { of, name, key: last }, row };
    });
    const telling = { clock: rows.clock, selection };
    const changes = await runInSlices(changeTexts(puts, telling), whileWanted(isOver));
    if (changes.length === 0) continue;
    yield { changes, position: { ...position, snapshot: { of, name, key: last } }, isLive: false };
  }
}

/**
 * The first rows of a range, some 64 KiB: a scan that waited for a slow reader would keep old rows from being deleted, or
 * hold a connection to the database.
 */
async function firstBatch(items: ItemStore, space: string, range: ScanRange): Promise<readonly Row[]> {
  for await (const batch of items.scan(space, range)) return batch;
  return [];
}
