import { crc32 } from 'node:zlib';
import { type BlobStore, type ByteRange, summedBytes } from '../../engines/blob-store.js';
import { BytesDamaged } from '../../engines/storage-errors.js';
import type { Piece } from '../rows.js';

const sumBytes = 4;

/** Stored bytes differ from those that were written. */
export class WrongBytes extends BytesDamaged {
  override readonly name = 'WrongBytes';
}

/** The `Piece.chunkCrc32s` of bytes. Undefined if one chunk holds them all: then their CRC-32 is enough. */
export function textOfSums(sums: readonly number[]): string | undefined {
  if (sums.length < 2) return undefined;
  const bytes = Buffer.alloc(sums.length * sumBytes);
  for (const [n, value] of sums.entries()) bytes.writeUInt32BE(value, n * sumBytes);
  return bytes.toString('base64');
}

/** The units that are compared: the chunks of a blob, or the whole blob if an earlier version wrote it. */
interface Compared {
  readonly stepBytes: number;
  /** Gives the CRC-32 of the unit that begins at `at`, which is a multiple of `stepBytes`. */
  sumAt(at: number): number | undefined;
}

function comparedOf({ chunkCrc32s, crc32: sum, sizeBytes }: Piece): Compared {
  if (chunkCrc32s === undefined) return { stepBytes: Math.max(1, sizeBytes), sumAt: () => sum };
  const sums = Buffer.from(chunkCrc32s, 'base64');
  return {
    stepBytes: summedBytes,
    sumAt(at) {
      const offset = (at / summedBytes) * sumBytes;
      return offset + sumBytes <= sums.length ? sums.readUInt32BE(offset) : undefined;
    },
  };
}

/**
 * Reads the bytes `range` of a blob and compares them with their checksums (docs/http.md#ranges). Wrong bytes are
 * noticed before the last byte is given, so a range that arrives completely is correct. Without a range, all bytes of
 * the blob are read, and their number is compared as well. Each chunk it gives stays valid until the next one is
 * requested. Throws `WrongBytes`, and the errors of the blob store.
 */
export async function* readChecked(
  blobs: BlobStore,
  piece: Piece,
  range?: ByteRange,
): AsyncGenerator<Buffer> {
  const { id, sizeBytes } = piece;
  const { stepBytes, sumAt } = comparedOf(piece);
  const wanted = range ?? { start: 0, end: sizeBytes - 1 };
  const start = wanted.start - (wanted.start % stepBytes);
  const end = Math.min(wanted.end - (wanted.end % stepBytes) + stepBytes, sizeBytes) - 1;
  let at = start;
  let sum = 0;
  let total = 0;
  /** The last bytes of the range. They are held back until the rest of their chunk is compared. */
  let held: Buffer | undefined;

  for await (const chunk of blobs.read(id, range && { start, end })) {
    if (range === undefined) total = crc32(chunk, total);
    for (let offset = 0; offset < chunk.length; ) {
      const stepStart = at - (at % stepBytes);
      const stepEnd = Math.min(stepStart + stepBytes, sizeBytes);
      // Bytes beyond the size of the blob are counted but not given.
      const part = chunk.subarray(offset, at < stepEnd ? offset + stepEnd - at : chunk.length);
      const given = part.subarray(
        Math.max(0, wanted.start - at),
        Math.max(0, Math.min(part.length, wanted.end + 1 - at)),
      );
      const isLast = given.length > 0 && wanted.end < at + part.length;
      sum = crc32(part, sum);
      offset += part.length;
      at += part.length;
      if (at === stepEnd) {
        if (sum !== sumAt(stepStart)) throw wrongChecksum(piece);
        sum = 0;
        if (held !== undefined) yield held;
        held = undefined;
      }
      if (isLast && at < stepEnd) held = Buffer.from(given);
      else if (given.length > 0) yield given;
    }
  }
  if (at !== end + 1) throw new WrongBytes(`its bytes, blob ${id}, are ${at}, they should be ${sizeBytes}`);
  if (range === undefined && total !== piece.crc32) throw wrongChecksum(piece);
}

/** The same in chunks that stay valid, for those who keep them. */
export async function* readToKeep(blobs: BlobStore, piece: Piece): AsyncGenerator<Buffer> {
  for await (const chunk of readChecked(blobs, piece)) yield Buffer.from(chunk);
}

/** Reads all bytes of a small blob at once and compares them. Throws `WrongBytes`, and the errors of the blob store. */
export async function readWholeChecked(blobs: BlobStore, piece: Piece): Promise<Buffer> {
  const bytes = await blobs.readWhole(piece.id, piece.sizeBytes);
  compare(bytes, piece);
  return bytes;
}

/** Throws `WrongBytes` if these are not the bytes of the piece. */
export function compare(bytes: Buffer, piece: Pick<Piece, 'id' | 'layout' | 'sizeBytes' | 'crc32'>): void {
  const { id, layout, sizeBytes } = piece;
  if (bytes.length !== sizeBytes) {
    throw new WrongBytes(`its bytes, ${layout} ${id}, are ${bytes.length}, they should be ${sizeBytes}`);
  }
  if (crc32(bytes) !== piece.crc32) throw wrongChecksum(piece);
}

function wrongChecksum({ id, layout }: Pick<Piece, 'id' | 'layout'>): WrongBytes {
  return new WrongBytes(`its bytes, ${layout} ${id}, have another checksum`);
}
