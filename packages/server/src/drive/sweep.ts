import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import type { Leases } from './leases.js';
import {
  contentKey,
  type GarbageRow,
  garbageKey,
  type Piece,
  partsPrefix,
  readRow,
  uploadKey,
} from './rows.js';
import type { Uploads } from './uploads.js';

/** Rows that one transaction takes away at most. */
const batchRows = 1000;

/**
 * What becomes of a row of a drive that is due: an upload that nobody calls is dropped; the bytes of garbage go,
 * then the row that named them. Any step may be done again. Resolves to false when it is to be asked again later.
 */
export type Sweep = (space: string, key: string) => Promise<boolean>;

export function createSweep(items: ItemStore, blobs: BlobStore, leases: Leases, uploads: Uploads): Sweep {
  async function sweepGarbage(space: string, id: string): Promise<boolean> {
    const row = await items.get(space, garbageKey(id));
    if (row === undefined) return true;
    const { layout } = readRow<GarbageRow>(row);
    // No lease begins once the name is gone: a reader looks at the name again after taking one.
    if (leases.has(id)) return false;
    if (layout === 'blob') await blobs.delete([id]);
    else if (layout === 'parts') await sweepParts(space, id);
    else await sweepUpload(space, id);
    await remove(space, [garbageKey(id)]);
    return true;
  }

  async function sweepParts(space: string, id: string): Promise<void> {
    const list = await items.get(space, contentKey(id));
    if (list === undefined) return;
    const pieces = readRow<Piece[]>(list);
    await removePieces(space, pieces, [contentKey(id)]);
  }

  async function sweepUpload(space: string, id: string): Promise<void> {
    for await (const batch of items.scan(space, { prefix: partsPrefix(id) })) {
      const pieces = batch.map((row) => readRow<Piece>(row.value));
      const keys = batch.map((row) => row.key);
      await removePieces(space, pieces, keys);
    }
  }

  async function removePieces(
    space: string,
    pieces: readonly Piece[],
    rows: readonly string[],
  ): Promise<void> {
    const ids = (layout: Piece['layout']) =>
      pieces.filter((piece) => piece.layout === layout).map((piece) => piece.id);
    await blobs.delete(ids('blob'));
    await remove(space, [...ids('row').map(contentKey), ...rows]);
  }

  async function remove(space: string, keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += batchRows) {
      const deletes = keys.slice(at, at + batchRows);
      await items.transact(space, [], () => ({ deletes, result: undefined }));
    }
  }

  return async (space, key) => {
    if (key.startsWith(garbageKey(''))) return await sweepGarbage(space, key.slice(garbageKey('').length));
    await uploads.drop(space, key.slice(uploadKey('').length));
    return true;
  };
}
