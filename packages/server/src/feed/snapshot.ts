import { collections } from '../catalog/collections.js';
import { nameLists } from '../catalog/names.js';
import { nameKey } from '../drive/rows.js';
import type { ItemStore, Row, ScanRange } from '../engines/item-store.js';
import { collectionNameProblem } from '../http/routing/collection-name.js';
import type { Semaphore } from '../lib/concurrency/semaphore.js';
import { runInSlices } from '../lib/concurrency/time-slices.js';
import { untilAbandoned } from '../request-error.js';
import { changeTexts, type ProjectRows } from './change-lines.js';
import { type Batch, batchBytes, type Position, type SnapshotPosition } from './position.js';
import type { Selection } from './selection.js';

interface Reading {
  readonly items: ItemStore;
  readonly rows: ProjectRows;
  readonly selection: Selection;
  readonly most: () => number;
  readonly inTurn: Semaphore;
  readonly isOver: () => boolean;
}

const namesAtOnce = 100;

/**
 * Gives everything that is stored, as puts, from a position on. It is not of one moment: what changes while it is read
 * comes among the changes since the position was made. Whoever applies both has the present state.
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
    const root = collections[of].spaceOf(project, '');
    const options = { visible: reading.selection[of], root, atOnce: namesAtOnce };
    const names = nameLists(reading.items, { prefix: '', last: begins.name }, options);
    for (;;) {
      // In turn, because a search for names opens large rows on its way, and hundreds of readers may begin at once.
      const { done, value: list } = await reading.inTurn(() => names.next());
      if (done) break;
      for (const name of list) yield* readCollection(reading, position, { of, name, key: '' });
    }
    at = { of: 'drives', name: '', key: '' };
  }
  yield { changes: [], position: { ...position, snapshot: undefined }, isLive: false };
}

/** The items of a base, or the files of a drive, after a key. */
async function* readCollection(
  reading: Reading,
  position: Position,
  at: SnapshotPosition,
): AsyncGenerator<Batch> {
  const { of, name } = at;
  // Requests and cursors name what they like. With U+0000 in it, the name of a space leads to rows that are no items.
  if (collectionNameProblem(name) !== undefined) return;
  const before = collectionPrefix(of);
  const prefix = before + reading.selection.prefix;
  let last = at.key;
  for (;;) {
    const range = {
      ...collections[of].rangeOf({ prefix, ...(last !== '' && { gt: before + last }) }),
      limit: reading.most(),
    };
    const found = await reading.inTurn(() => readPuts(reading, at, range));
    if (found === undefined) return;
    last = found.last;
    const { changes } = found;
    if (changes.length === 0) continue;
    yield { changes, position: { ...position, snapshot: { of, name, key: last } }, isLive: false };
  }
}

/** The puts of some rows, and the last key that was read. Nothing else of the rows stays in memory while a reader is slow. */
async function readPuts(
  { items, rows, selection, isOver }: Reading,
  { of, name }: SnapshotPosition,
  range: ScanRange,
): Promise<{ readonly changes: string[]; readonly last: string } | undefined> {
  const before = collectionPrefix(of);
  const found = await firstBatch(items, collections[of].spaceOf(rows.project, name), range);
  const puts = found.map(({ key, value: row }) => {
    return { changed: { of, name, key: key.slice(before.length) }, row };
  });
  const last = puts.at(-1)?.changed.key;
  if (last === undefined) return undefined;
  const telling = { clock: rows.clock, selection };
  return { changes: await runInSlices(changeTexts(puts, telling), untilAbandoned(isOver)), last };
}

/** The text that the keys of rows have before the key of an item, or before the name of a file. */
function collectionPrefix(of: SnapshotPosition['of']): string {
  return of === 'drives' ? nameKey('') : '';
}

/**
 * The first rows of a range, some 64 KiB: a scan that waited for a slow reader would keep old rows from being deleted,
 * or hold a connection to the database. The other rows of the batch are read again.
 */
async function firstBatch(items: ItemStore, space: string, range: ScanRange): Promise<readonly Row[]> {
  for await (const batch of items.scan(space, { ...range, isOneBatch: true })) {
    let rows = 0;
    for (let bytes = 0; rows < batch.length && bytes < batchBytes; rows++)
      bytes += (batch[rows] as Row).value.length;
    return batch.slice(0, rows);
  }
  return [];
}
