import {
  driveSpaces,
  isOfClosedUpload,
  type NamedContent,
  namedContent,
  piecesOf,
  RowUnreadable,
} from '../../drive/contents/row-contents.js';
import { contentKey, type Piece } from '../../drive/rows.js';
import type { ItemStore, Row, ScannedRow } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import type { Pair } from './merge.js';
import { isSameRow } from './row-batches.js';

/**
 * The blobs that must exist for a row to be valid: those of a file, in the trash or not, or of a part. Garbage names blobs
 * too, but only so that they are deleted; so do the parts of a closed upload, whose blobs a sweep may have deleted. `items`
 * must show one moment. Throws `RowUnreadable`, and `BlobMissing` if the list of a file's parts is missing.
 */
export async function neededBlobs(
  items: Pick<ItemStore, 'get'>,
  space: string,
  row: Row,
): Promise<readonly Piece[]> {
  const content = contentOf(space, row);
  if (content === undefined || (await isOfClosedUpload(items, space, row.key))) return [];
  const pieces = await piecesOf(items, space, content);
  if (pieces === undefined) {
    throw new BlobMissing(`the list of its parts, ${contentKey(content.id)}, is missing`);
  }
  return pieces.filter((piece) => piece.layout === 'blob');
}

/** The same, or why they are not known. */
export async function neededOrProblem(
  items: Pick<ItemStore, 'get'>,
  space: string,
  row: Row,
): Promise<readonly Piece[] | string> {
  try {
    return await neededBlobs(items, space, row);
  } catch (cause) {
    if (cause instanceof RowUnreadable || cause instanceof BlobMissing) return cause.message;
    throw cause;
  }
}

/** The same, without the blobs of a content that the row has at the destination, too. */
export async function blobsToBring(
  items: Pick<ItemStore, 'get'>,
  space: string,
  { left, right }: Pair<ScannedRow>,
): Promise<readonly Piece[] | string> {
  if (left === undefined) return [];
  if (right !== undefined && (isSameRow(left, right) || isSameContent(space, left, right))) return [];
  return await neededOrProblem(items, space, left);
}

/** Whether two rows with the same key name the same content. False if one cannot be read, or names none. */
export function isSameContent(space: string, a: Row, b: Row): boolean {
  const [content, other] = [readableContent(space, a), readableContent(space, b)];
  return content !== undefined && content.id === other?.id && content.layout === other.layout;
}

/** How many bytes a row has in blobs, as far as the row itself says. 0 for one that cannot be read. */
export function namedBytes(space: string, row: Row): number {
  const content = readableContent(space, row);
  return content === undefined || content.layout === 'row' ? 0 : content.sizeBytes;
}

function readableContent(space: string, row: Row): NamedContent | undefined {
  try {
    return contentOf(space, row);
  } catch (cause) {
    if (cause instanceof RowUnreadable) return undefined;
    throw cause;
  }
}

function contentOf(space: string, row: Row): NamedContent | undefined {
  return space.startsWith(driveSpaces) ? namedContent(row) : undefined;
}
