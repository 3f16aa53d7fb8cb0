import type { BlobStore, ByteRange } from '../../src/engines/blob-store.js';

/** Bytes whose pattern repeats so late that a part in the wrong place is noticed. */
export function patterned(size: number, seed: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 31 + (at >> 8) + (at >> 16) + seed) & 0xff;
  return bytes;
}

export async function* inChunks(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function readAll(store: BlobStore, id: string, range?: ByteRange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(id, range)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
