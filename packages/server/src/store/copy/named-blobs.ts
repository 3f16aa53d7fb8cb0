import { contentKey, type FileRow, nameKey, type Piece, partsPrefix, readRow } from '../../drive/rows.js';
import type { ItemStore, Row } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';

const driveSpaces = 'drive/';
const anyFile = nameKey('');
const anyPart = partsPrefix('').slice(0, -1);

/** What a row cannot be read for. */
export class RowUnreadable extends Error {
  override readonly name = 'RowUnreadable';
}

/**
 * The blobs that must be there for a row to hold: those of a file or of a part. Garbage names blobs too, but only
 * for them to go. Throws `RowUnreadable`; and `BlobMissing` when the list of a file's parts is not there.
 */
export async function namedBlobs(items: ItemStore, space: string, row: Row): Promise<readonly Piece[]> {
  const named = namedBy(space, row);
  if (named === undefined) return [];
  const { id, layout } = named;
  if (layout === 'row') return [];
  if (layout === 'blob') return [{ id, layout, sizeBytes: named.sizeBytes, crc32: named.crc32 ?? 0 }];
  return (await listedPieces(items, space, id)).filter((piece) => piece.layout === 'blob');
}

async function listedPieces(items: ItemStore, space: string, id: string): Promise<readonly Piece[]> {
  const list = await items.get(space, contentKey(id));
  if (list === undefined) throw new BlobMissing(`the list of its parts, ${contentKey(id)}, is missing`);
  return readable(() => readRow<Piece[]>(list));
}

/** The keys of the rows that must be there for a row to hold: bytes of a small file or part, the list of parts. */
export async function contentRows(items: ItemStore, space: string, row: Row): Promise<readonly string[]> {
  const named = namedBy(space, row);
  if (named === undefined || named.layout === 'blob') return [];
  if (named.layout === 'row') return [contentKey(named.id)];
  const small = (await listedPieces(items, space, named.id)).filter((piece) => piece.layout === 'row');
  return [named.id, ...small.map((piece) => piece.id)].map(contentKey);
}

/** When a file got its name: milliseconds since 1970 UTC. Of what does not say it: just now. */
export function writtenMs(space: string, row: Row): number {
  return namedBy(space, row)?.modifiedMs ?? Number.POSITIVE_INFINITY;
}

/** How many bytes a row has in blobs, as far as the row itself tells. 0 for one that cannot be read. */
export function namedBytes(space: string, row: Row): number {
  try {
    const named = namedBy(space, row);
    return named === undefined || named.layout === 'row' ? 0 : named.sizeBytes;
  } catch (cause) {
    if (cause instanceof RowUnreadable) return 0;
    throw cause;
  }
}

/** The id of the upload whose part a row is, or undefined. */
export function uploadOfPart(key: string): string | undefined {
  return key.startsWith(anyPart) ? key.slice(anyPart.length, key.lastIndexOf('/')) : undefined;
}

type Named = Pick<FileRow, 'id' | 'layout' | 'sizeBytes' | 'crc32'> & Partial<Pick<FileRow, 'modifiedMs'>>;

/** The content that a row names, or undefined. Throws `RowUnreadable`. */
export function namedBy(space: string, { key, value }: Row): Named | undefined {
  if (!space.startsWith(driveSpaces) || !(key.startsWith(anyFile) || key.startsWith(anyPart)))
    return undefined;
  const named = readable(() => readRow<Named>(value));
  if (named.layout === 'row' || named.layout === 'blob' || named.layout === 'parts') return named;
  throw new RowUnreadable(`its layout is not known: ${String(named.layout)}`);
}

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause;
    throw new RowUnreadable(`its row cannot be read: ${cause.message}`, { cause });
  }
}
