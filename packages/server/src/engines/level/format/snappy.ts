import { createFieldReader } from './coding.js';

const literalKind = 0;

/**
 * Uncompresses a block that LevelDB has compressed (https://github.com/google/snappy/blob/main/format_description.txt).
 * Only the indexes of tables are read with it, so it is short rather than fast. Throws `RangeError` for bytes that are
 * not Snappy's.
 */
export function uncompressSnappy(source: Buffer): Buffer {
  const fields = createFieldReader(source);
  const target = Buffer.alloc(fields.varint());
  const integer = (bytes: number) => fields.bytes(bytes).readUIntLE(0, bytes);
  let end = 0;
  while (!fields.isAtEnd) {
    const tag = integer(1);
    const kind = tag & 3;
    if (kind === literalKind) {
      const short = tag >> 2;
      // Up to 60 bytes the tag has the length; above, it has the number of bytes that the length has.
      const length = 1 + (short < 60 ? short : integer(short - 59));
      if (end + length > target.length) throw new RangeError('a literal is too long');
      end += fields.bytes(length).copy(target, end);
      continue;
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const distance = kind === 1 ? ((tag >> 5) << 8) + integer(1) : integer(kind === 2 ? 2 : 4);
    if (distance === 0 || distance > end || end + length > target.length) {
      throw new RangeError('a copy is out of bounds');
    }
    // A copy may overlap itself: it repeats what it has just written.
    for (const last = end + length; end < last; end++) target[end] = target[end - distance] as number;
  }
  if (end !== target.length) throw new RangeError('the block is too short');
  return target;
}
