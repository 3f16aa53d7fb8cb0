import { crc32 } from 'node:zlib';
import { contentKey, type FileRow, type Piece, readRow } from '../../drive/rows.js';
import type { BlobStore } from '../../engines/blob-store.js';
import type { ItemStore } from '../../engines/item-store.js';
import { BlobMissing, StorageUnavailable } from '../../engines/storage-errors.js';

export interface Engines {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
}

/** What is wrong with the bytes of a file, or undefined. `read` is told how many were read. */
export async function wrongContent(
  engines: Engines,
  space: string,
  file: FileRow,
  read: (bytes: number) => void,
): Promise<string | undefined> {
  const { id, layout, sizeBytes, crc32: checksum } = file;
  if (layout !== 'parts')
    return wrongPiece(engines, space, { id, layout, sizeBytes, crc32: checksum ?? 0 }, read);
  const list = await engines.items.get(space, contentKey(id));
  if (list === undefined) return `the list of its parts, ${contentKey(id)}, is missing`;
  const pieces = readRow<Piece[]>(list);
  const sum = pieces.reduce((total, piece) => total + piece.sizeBytes, 0);
  if (sum !== sizeBytes) return `its parts have ${sum} bytes, it should have ${sizeBytes}`;
  for (const piece of pieces) {
    const wrong = await wrongPiece(engines, space, piece, read);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** What is wrong with bytes that came in one request, or undefined. */
export async function wrongPiece(
  engines: Engines,
  space: string,
  piece: Piece,
  read: (bytes: number) => void,
): Promise<string | undefined> {
  const { id, layout, sizeBytes } = piece;
  let size = 0;
  let checksum = 0;
  try {
    for await (const chunk of layout === 'row'
      ? rowBytes(engines.items, space, id)
      : engines.blobs.read(id)) {
      size += chunk.length;
      checksum = crc32(chunk, checksum);
    }
  } catch (cause) {
    if (cause instanceof StorageUnavailable) throw cause;
    if (cause instanceof BlobMissing) return `its bytes, ${layout} ${id}, are missing`;
    return `its bytes, ${layout} ${id}, cannot be read: ${String(cause)}`;
  }
  read(size);
  if (size !== sizeBytes) return `its bytes, ${layout} ${id}, are ${size}, they should be ${sizeBytes}`;
  return checksum === piece.crc32 ? undefined : `its bytes, ${layout} ${id}, have another checksum`;
}

async function* rowBytes(items: ItemStore, space: string, id: string): AsyncGenerator<Buffer> {
  const bytes = await items.get(space, contentKey(id));
  if (bytes === undefined) throw new BlobMissing(`There is no content ${id}`);
  yield bytes;
}
