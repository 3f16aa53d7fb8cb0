import type { ByteRange } from '../engines/blob-store.js';
import { BlobMissing } from '../engines/storage-errors.js';
import type { Store } from '../engines/store.js';
import { compare, readChecked } from './checksums.js';
import { bytesKey } from './row-contents.js';
import { contentKey, type Piece } from './rows.js';

/** Pieces one after the other: what a file's bytes are made of. */
export interface Content {
  readonly space: string;
  readonly pieces: readonly Piece[];
}

/**
 * The bytes `range` of a content, compared with their checksums and read as they are asked for; a blob is opened when
 * its bytes are needed. Throws `WrongBytes` before the last byte of a range that has changed bytes, `BlobMissing`, and
 * what the engines throw.
 */
export async function* readContent(store: Store, content: Content, range: ByteRange): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const piece of content.pieces) {
    const start = Math.max(range.start - offset, 0);
    const end = Math.min(range.end - offset, piece.sizeBytes - 1);
    offset += piece.sizeBytes;
    if (start > end) continue;
    const key = bytesKey(piece);
    if (key === undefined) yield* readChecked(store.blobs, piece, { start, end });
    else yield (await readRowChecked(store, content.space, piece)).subarray(start, end + 1);
  }
}

/** The bytes of a piece that is stored in a row. Throws `WrongBytes`, `BlobMissing`, and what the item store throws. */
export async function readRowChecked({ items }: Store, space: string, piece: Piece): Promise<Buffer> {
  const bytes = await items.get(space, contentKey(piece.id));
  if (bytes === undefined) throw new BlobMissing(`There is no content ${piece.id}`);
  compare(bytes, piece);
  return bytes;
}
