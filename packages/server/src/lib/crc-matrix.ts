/**
 * What the CRC of bytes becomes when others follow, as `crc32_combine` of zlib computes it, also for 64 bits: a CRC is
 * linear, so the bytes that follow change it by a matrix over bits, whatever they are. Nothing but CRCs is read, and no
 * matrix is made for a size: of 64 bits, that would take 0.3 ms for each.
 */

/** Of each bit, what it becomes: the high and the low half in turns. */
type Matrix = Uint32Array;

export interface Crc {
  readonly bits: 32 | 64;
  /** For 2^n bytes that follow. */
  readonly powers: Matrix[];
}

/** The one of zlib and PNG. */
export const crc32Matrix = crcOf(32, 0, 0xedb88320);

/** The CRC-32 of bytes with the CRC-32 `sum` and of `bytes` more, which have the CRC-32 `next`. */
export function joinedCrc32(sum: number, next: number, bytes: number): number {
  return (followedBy(crc32Matrix, bytes, 0, sum)[1] ^ next) >>> 0;
}

/** `high`, `low`: the polynomial, its lowest bit first. */
export function crcOf(bits: 32 | 64, high: number, low: number): Crc {
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

/** What a CRC becomes when this many bytes follow. */
export function followedBy({ powers }: Crc, sizeBytes: number, high: number, low: number) {
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
