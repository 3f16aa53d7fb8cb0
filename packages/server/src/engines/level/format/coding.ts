// The integers of LevelDB's files (`util/coding.cc`).

/** Reads the fields of a record, one after the other. Throws `RangeError` when the bytes end within a field. */
export type FieldReader = ReturnType<typeof createFieldReader>;

export function createFieldReader(source: Buffer) {
  let at = 0;
  return {
    get isAtEnd(): boolean {
      return at >= source.length;
    },
    /** An integer with seven bits in a byte, the lowest first. Exact up to 2^53. */
    varint(): number {
      let value = 0;
      for (let scale = 1; scale < 2 ** 64; scale *= 128) {
        const byte = source[at++];
        if (byte === undefined) break;
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
      throw new RangeError('an integer has no end');
    },
    /** The next `length` bytes, as a view. */
    bytes(length: number): Buffer {
      if (at + length > source.length) throw new RangeError('a field is longer than its record');
      at += length;
      return source.subarray(at - length, at);
    },
  };
}

/** An integer as `varint` reads it. */
export function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
