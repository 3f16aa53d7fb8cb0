import {
  driveSpaces,
  holdersOf,
  type NamedContent,
  namedContent,
  piecesOf,
  RowUnreadable,
} from '../../drive/row-contents.js';
import { contentKey, type Piece } from '../../drive/rows.js';
import type { ItemStore, Row } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';

/**
 * The blobs that must exist for a row to be valid: those of a file or of a part. Garbage names blobs too, but only so
 * that they are deleted. Throws `RowUnreadable`, and `BlobMissing` if the list of a file's parts is missing.
 */
export async function namedBlobs(
  items: Pick<ItemStore, 'get'>,
  space: string,
  row: Row,
): Promise<readonly Piece[]> {
  const content = contentOf(space, row);
  if (content === undefined) return [];
  const pieces = await piecesOf(items, space, content);
  if (pieces === undefined) throw listMissing(content);
  return pieces.filter((piece) => piece.layout === 'blob');
}

/** The keys of the rows that must exist for a row to be valid: bytes of a small file or part, the list of parts. */
export async function contentRows(items: ItemStore, space: string, row: Row): Promise<readonly string[]> {
  const content = contentOf(space, row);
  if (content === undefined) return [];
  const holders = await holdersOf(items, space, content);
  if (holders === undefined) throw listMissing(content);
  return holders.rows;
}

/** When a file got its name: milliseconds since 1970 UTC. Infinity for other rows, which do not record it. */
export function writtenMs(space: string, row: Row): number {
  return contentOf(space, row)?.modifiedMs ?? Number.POSITIVE_INFINITY;
}

/** How many bytes a row has in blobs, as far as the row itself says. 0 for one that cannot be read. */
export function namedBytes(space: string, row: Row): number {
  try {
    const content = contentOf(space, row);
    return content === undefined || content.layout === 'row' ? 0 : content.sizeBytes;
  } catch (cause) {
    if (cause instanceof RowUnreadable) return 0;
    throw cause;
  }
}

function contentOf(space: string, row: Row): NamedContent | undefined {
  return space.startsWith(driveSpaces) ? namedContent(row) : undefined;
}

function listMissing({ id }: NamedContent): BlobMissing {
  return new BlobMissing(`the list of its parts, ${contentKey(id)}, is missing`);
}
