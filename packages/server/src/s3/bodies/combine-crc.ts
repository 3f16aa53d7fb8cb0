import type { ChecksumAlgorithm } from '../../drive/rows.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';

/**
 * The CRC of bytes of which the CRCs of the parts are known, as `crc32_combine` of zlib computes it, also for 64 bits: a
 * CRC is linear, so the bytes of a part that follow one change its CRC by a matrix over bits, whatever they are.
 * Nothing but the CRCs is read, and no matrix is made for a size: of 64 bits, that would take 0.3 ms for each.
 */

/** Of each bit, what it becomes: the high and the low half in turns. */
type Matrix = Uint32Array;

interface Crc {
  readonly bits: 32 | 64;
  /** For 2^n bytes that follow. */
  readonly powers: Matrix[];
}

const crcs: Partial<Record<ChecksumAlgorithm, Crc>> = {
  CRC32: crcOf(32, 0, 0xedb88320),
  CRC32C: crcOf(32, 0, 0x82f63b78),
  CRC64NVME: crcOf(64, 0x9a6c9329, 0xac4bc9b5),
};

const partsAStep = 100;

/** Combines CRCs, as base64, of parts of these sizes. Undefined for another algorithm. */
export function* combineCrcs(
  algorithm: ChecksumAlgorithm,
  parts: readonly { readonly value: string; readonly sizeBytes: number }[],
): Steps<string | undefined> {
  const crc = crcs[algorithm];
  if (crc === undefined) return undefined;
  const width = crc.bits / 8;
  let [high, low] = [0, 0];
  for (const [n, { value, sizeBytes }] of parts.entries()) {
    if (n % partsAStep === partsAStep - 1) yield;
    const bytes = Buffer.from(value, 'base64');
    const [h, l] = followedBy(crc, sizeBytes, high, low);
    high = h ^ (width === 8 ? bytes.readUInt32BE(0) : 0);
    low = l ^ bytes.readUInt32BE(width - 4);
  }
  const combined = Buffer.alloc(width);
  if (width === 8) combined.writeUInt32BE(high >>> 0, 0);
  combined.writeUInt32BE(low >>> 0, width - 4);
  return combined.toString('base64');
}

function crcOf(bits: 32 | 64, high: number, low: number): Crc {
  // Where one bit follows: the lowest bit becomes the polynomial, every other the one below it.
  let operator = new Uint32Array(bits * 2);
  operator.set([high, low]);
  for (let bit = 1; bit < bits; bit++) setBit(operator, bit, bit - 1);
  for (let doubled = 0; doubled < 3; doubled++) operator = after(operator, operator);
  return { bits, powers: [operator] };
}

function setBit(matrix: Matrix, column: number, bit: number): void {
  matrix[column * 2 + (bit >= 32 ? 0 : 1)] = 1 << (bit % 32);
}

/** What a CRC becomes when so many bytes follow. */
function followedBy({ powers }: Crc, sizeBytes: number, high: number, low: number) {
  let crc: readonly [high: number, low: number] = [high, low];
  for (let power = 0, left = sizeBytes; left > 0; power++, left = Math.floor(left / 2)) {
    const before = powers[power - 1];
    if (powers[power] === undefined && before !== undefined) powers[power] = after(before, before);
    if (left % 2 === 1) crc = times(powers[power] as Matrix, ...crc);
  }
  return crc;
}

function times(matrix: Matrix, high: number, low: number): readonly [high: number, low: number] {
  let [h, l] = [0, 0];
  let column = 0;
  for (let bits = low >>> 0; bits !== 0; bits >>>= 1, column += 2) {
    if ((bits & 1) === 0) continue;
    h ^= matrix[column] as number;
    l ^= matrix[column + 1] as number;
  }
  column = 64;
  for (let bits = high >>> 0; bits !== 0; bits >>>= 1, column += 2) {
    if ((bits & 1) === 0) continue;
    h ^= matrix[column] as number;
    l ^= matrix[column + 1] as number;
  }
  return [h, l];
}

/** The matrix of `first`, then `second`. */
function after(second: Matrix, first: Matrix): Uint32Array<ArrayBuffer> {
  const product = new Uint32Array(first.length);
  for (let at = 0; at < first.length; at += 2) {
    product.set(times(second, first[at] as number, first[at + 1] as number), at);
  }
  return product;
}
