import { crc32c, createFieldReader, type FieldReader, unmaskedCrc } from './coding.js';
import { uncompressSnappy } from './snappy.js';

// A table of LevelDB (`table/format.cc`): blocks of rows, a block of Bloom filters, an index of each, and a footer.
// Each block is followed by its type of compression and a checksum over both, which LevelDB does not verify when it
// reads.

const footerBytes = 48;
const trailerBytes = 5;
const magic = Buffer.from('57fb808b247547db', 'hex');
const snappyKind = 1;

interface BlockPlace {
  readonly offset: number;
  readonly size: number;
}

export interface TableFault {
  readonly offset: number;
  readonly problem: string;
}

/** Compares the checksums of all blocks of a table and gives those that do not match, in steps of at most one block. */
export function* findTableFaults(source: Buffer): Generator<TableFault | undefined> {
  const footer = source.length - footerBytes;
  if (footer < 0 || !source.subarray(-magic.length).equals(magic)) {
    yield { offset: Math.max(0, footer), problem: 'the table does not end as a table does' };
    return;
  }
  const fields = createFieldReader(source.subarray(footer));
  const indexes: BlockPlace[] = [];
  try {
    indexes.push(readPlace(fields), readPlace(fields));
  } catch (cause) {
    yield { offset: footer, problem: (cause as Error).message };
    return;
  }
  const blocks: BlockPlace[] = [];
  for (const place of indexes) {
    const problem = problemOf(source, place) ?? readIndex(source, place, blocks);
    if (problem !== undefined) yield { offset: place.offset, problem };
  }
  let end = 0;
  for (const place of [...blocks, ...indexes].sort((a, b) => a.offset - b.offset)) {
    if (place.offset !== end) yield { offset: end, problem: 'no index names the bytes from here on' };
    end = place.offset + place.size + trailerBytes;
    const problem = problemOf(source, place);
    yield problem === undefined ? undefined : { offset: place.offset, problem };
  }
  if (end !== footer) yield { offset: end, problem: 'no index names the bytes from here on' };
}

function problemOf(source: Buffer, { offset, size }: BlockPlace): string | undefined {
  const end = offset + size;
  if (end + trailerBytes > source.length - footerBytes) return 'the block ends behind its table';
  const isRight = crc32c(source, offset, end + 1) === unmaskedCrc(source, end + 1);
  return isRight ? undefined : 'the checksum of the block does not match';
}

/** Adds the blocks that an index names to `blocks`; gives what is wrong with the index. */
function readIndex(source: Buffer, { offset, size }: BlockPlace, blocks: BlockPlace[]): string | undefined {
  try {
    const stored = source.subarray(offset, offset + size);
    const bytes = source[offset + size] === snappyKind ? uncompressSnappy(stored) : stored;
    // The block ends with the restart points, where keys are stored in full, and their number.
    const fullKeys = bytes.readUInt32LE(bytes.length - 4);
    const entries = createFieldReader(bytes.subarray(0, bytes.length - 4 - 4 * fullKeys));
    while (!entries.isAtEnd) {
      entries.varint();
      const keyBytes = entries.varint();
      const valueBytes = entries.varint();
      entries.bytes(keyBytes);
      blocks.push(readPlace(createFieldReader(entries.bytes(valueBytes))));
    }
    return undefined;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return `the index cannot be read: ${cause.message}`;
  }
}

function readPlace(fields: FieldReader): BlockPlace {
  return { offset: fields.varint(), size: fields.varint() };
}
