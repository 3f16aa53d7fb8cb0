import { crc32 } from 'node:zlib';
import type { BlobStore, ByteRange } from '../engines/blob-store.js';
import type { FileRow, Piece } from './rows.js';

/** Pieces one after the other: what a file's bytes are made of. */
export interface Content {
  readonly pieces: readonly Piece[];
  /** The bytes of a piece that lies in a row. */
  rowBytes(id: string): Buffer | Promise<Buffer>;
}

/** The bytes `range` of a content, read as they are asked for; a blob is opened when its turn comes. */
export async function* readContent(
  blobs: BlobStore,
  content: Content,
  range: ByteRange,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const piece of content.pieces) {
    const start = Math.max(range.start - offset, 0);
    const end = Math.min(range.end - offset, piece.sizeBytes - 1);
    offset += piece.sizeBytes;
    if (start > end) continue;
    if (piece.layout === 'row') {
      yield (await content.rowBytes(piece.id)).subarray(start, end + 1);
    } else if (start === 0 && end === piece.sizeBytes - 1) {
      yield* readChecked(blobs, piece);
    } else {
      yield* blobs.read(piece.id, { start, end });
    }
  }
}

/** The whole of a blob. Wrong bytes are noticed before the last of them goes out, so no reader sees a whole file. */
async function* readChecked(blobs: BlobStore, piece: Piece): AsyncGenerator<Buffer> {
  let checksum = 0;
  let left = piece.sizeBytes;
  for await (const chunk of blobs.read(piece.id, { start: 0, end: piece.sizeBytes - 1 })) {
    checksum = crc32(chunk, checksum);
    left -= chunk.length;
    if (left === 0 && checksum !== piece.crc32) throw wrongBytes(piece.id);
    yield chunk;
  }
}

/** The same of a small one, at once. */
export async function readWholeChecked(
  blobs: BlobStore,
  { id, sizeBytes, crc32: written }: Pick<FileRow, 'id' | 'sizeBytes' | 'crc32'>,
): Promise<Buffer> {
  const bytes = await blobs.readWhole(id, sizeBytes);
  if (crc32(bytes) !== written) throw wrongBytes(id);
  return bytes;
}

function wrongBytes(id: string): Error {
  return new Error(`Blob ${id} does not have the bytes that were written: its CRC-32 is wrong`);
}
