import type { Piece } from '../../drive/rows.js';
import { createIdSet, type IdSet } from '../id-set.js';

/** The blobs of a backup: id, size and CRC-32 of each, 26 bytes together. */
export type BlobList = ReturnType<typeof createBlobList>;

const idBytes = 16;
/** The size of a list is that of its entries. */
export const entryBytes = idBytes + 6 + 4;
const entriesPerChunk = 4096;

export function createBlobList() {
  const chunks: Buffer[] = [];
  let count = 0;
  let blobBytes = 0;
  return {
    add({ id, sizeBytes, crc32 }: Piece): void {
      const at = (count % entriesPerChunk) * entryBytes;
      if (at === 0) chunks.push(Buffer.alloc(entriesPerChunk * entryBytes));
      const chunk = chunks.at(-1) as Buffer;
      chunk.write(id, at, 'hex');
      chunk.writeUIntBE(sizeBytes, at + idBytes, 6);
      chunk.writeUInt32BE(crc32, at + idBytes + 6);
      count++;
      blobBytes += sizeBytes;
    },
    get count(): number {
      return count;
    },
    get blobBytes(): number {
      return blobBytes;
    },
    /** The blobs, each once. */
    *pieces(): Generator<Piece> {
      for (const chunk of this.chunks()) yield* piecesIn(chunk);
    },
    *chunks(): Generator<Buffer> {
      for (const [n, chunk] of chunks.entries()) {
        const entries = Math.min(entriesPerChunk, count - n * entriesPerChunk);
        yield chunk.subarray(0, entries * entryBytes);
      }
    },
  };
}

/** The blobs in the bytes of a list. */
export async function* readBlobList(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % entryBytes);
    yield* piecesIn(all.subarray(0, whole));
    rest = all.subarray(whole);
  }
}

/** A set with room for this many ids. */
export function idSetFor(ids: number): IdSet {
  return createIdSet(Math.max(1, ids));
}

function* piecesIn(bytes: Buffer): Generator<Piece> {
  for (let at = 0; at < bytes.length; at += entryBytes) {
    yield {
      id: bytes.toString('hex', at, at + idBytes),
      layout: 'blob',
      sizeBytes: bytes.readUIntBE(at + idBytes, 6),
      crc32: bytes.readUInt32BE(at + idBytes + 6),
    };
  }
}
