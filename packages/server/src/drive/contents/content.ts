import type { ByteRange } from '../../engines/blob-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { contentKey, type Piece } from '../rows.js';
import { compare, readChecked } from './checksums.js';
import { bytesKey } from './row-contents.js';

/** What a file's bytes are made of: pieces in their order. */
export interface Content {
  readonly space: string;
  readonly pieces: readonly Piece[];
}

/**
 * Reads the bytes `range` of a content and compares them with their checksums. A blob is opened only when its bytes are
 * requested. If bytes of the range have changed, `WrongBytes` is thrown before the last byte is given. Also throws
 * `BlobMissing`, and the errors of the engines.
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

/**
 * Reads the bytes of a piece that is stored in a row. Throws `WrongBytes`, `BlobMissing`, and the errors of the item
 * store.
 */
export async function readRowChecked({ items }: Store, space: string, piece: Piece): Promise<Buffer> {
  const bytes = await items.get(space, contentKey(piece.id));
  if (bytes === undefined) throw new BlobMissing(`There is no content ${piece.id}`);
  compare(bytes, piece);
  return bytes;
}
