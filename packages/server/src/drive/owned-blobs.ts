import type { ItemStore } from '../engines/item-store.js';
import {
  contentKey,
  type FileRow,
  type GarbageRow,
  garbageKey,
  type Layout,
  nameKey,
  type Piece,
  partsPrefix,
  readRow,
} from './rows.js';

const driveSpaces = 'drive/';
const allParts = partsPrefix('').slice(0, -1);

/**
 * The ids of all blobs that rows of drives name, some more than once. Bytes move in one direction only: from a part
 * to a file (End) or to garbage (sent again, aborted), from a file to garbage (overwritten, deleted), and away. The
 * rows are read in that order, so what moves meanwhile is met at the one place or at the next: a blob that had a
 * row when this began, and has one still, is named. Throws for a row that cannot be read: who would delete
 * what is not named must then delete nothing.
 */
export async function* ownedBlobs(items: ItemStore): AsyncGenerator<string> {
  for await (const space of items.spaces(driveSpaces)) {
    for await (const piece of rowsOf<Piece>(items, space, allParts)) {
      if (isIn(piece.value, 'blob')) yield piece.value.id;
    }
    for await (const file of rowsOf<FileRow>(items, space, nameKey(''))) {
      yield* blobsOf(items, space, file.value.id, file.value.layout);
    }
    for await (const garbage of rowsOf<GarbageRow>(items, space, garbageKey(''))) {
      // The parts of an upload that is garbage still have their rows.
      const { layout } = garbage.value;
      const id = garbage.key.slice(garbageKey('').length);
      if (layout !== 'upload') yield* blobsOf(items, space, id, layout);
    }
  }
}

async function* blobsOf(items: ItemStore, space: string, id: string, layout: Layout): AsyncGenerator<string> {
  if (isIn({ layout }, 'blob')) yield id;
  if (layout !== 'parts') return;
  const list = await items.get(space, contentKey(id));
  // Swept meanwhile, and its blobs before it.
  if (list === undefined) return;
  for (const piece of readRow<Piece[]>(list)) if (isIn(piece, 'blob')) yield piece.id;
}

async function* rowsOf<T>(
  items: ItemStore,
  space: string,
  prefix: string,
): AsyncGenerator<{ key: string; value: T }> {
  for await (const batch of items.scan(space, { prefix })) {
    for (const { key, value } of batch) yield { key, value: readRow<T>(value) };
  }
}

const layouts: readonly Layout[] = ['row', 'blob', 'parts'];

function isIn({ layout }: { readonly layout: Layout }, wanted: Layout): boolean {
  if (!layouts.includes(layout))
    throw new TypeError(`A row has a layout that is not known: ${String(layout)}`);
  return layout === wanted;
}
