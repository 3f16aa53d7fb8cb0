import { createFieldReader, type FieldReader } from './coding.js';
import { crc32c, unmaskedCrc } from './crc32c.js';
import { uncompressSnappy } from './snappy.js';

// A table of LevelDB (`table/format.cc`): blocks of rows, a block of Bloom filters, an index of each, and a footer.
// Each block is followed by its type of compression and a checksum over both, which LevelDB does not verify when it
// reads.

export const footerBytes = 48;
/** The kind of compression and the checksum after each block. */
export const trailerBytes = 5;
export const tableMagic = Buffer.from('57fb808b247547db', 'hex');
const snappyKind = 1;

export interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

/** What an index says of a block: its handle, and a key that is not before any key in it. */
export interface IndexEntry {
  readonly key: Buffer;
  readonly handle: BlockHandle;
}

export interface TableFault {
  readonly offset: number;
  readonly problem: string;
  /** The entry of the block of rows in which the fault is, and the one before it. Absent for any other fault. */
  readonly block?: { readonly entry: IndexEntry; readonly before: IndexEntry | undefined };
}

/**
 * Compares the checksums of all blocks of a table and gives those that do not match, in steps of at most one block. For a
 * block that is right it gives the number of its bytes.
 */
export function* findTableFaults(source: Buffer): Generator<TableFault | number> {
  const footer = source.length - footerBytes;
  if (footer < 0 || !source.subarray(-tableMagic.length).equals(tableMagic)) {
    yield { offset: Math.max(0, footer), problem: 'the table does not end as a table does' };
    return;
  }
  let indexes: readonly [BlockHandle, BlockHandle];
  try {
    indexes = readFooter(source);
  } catch (cause) {
    yield { offset: footer, problem: (cause as Error).message };
    return;
  }
  const [, rowsIndex] = indexes;
  const blocks: (BlockHandle & Pick<TableFault, 'block'>)[] = [...indexes];
  for (const handle of indexes) {
    try {
      let before: IndexEntry | undefined;
      for (const entry of readIndex(source, handle)) {
        blocks.push(handle === rowsIndex ? { ...entry.handle, block: { entry, before } } : entry.handle);
        before = entry;
      }
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      yield { offset: handle.offset, problem: `the index cannot be read: ${cause.message}` };
    }
  }
  let end = 0;
  for (const { block, ...handle } of blocks.sort((a, b) => a.offset - b.offset)) {
    if (handle.offset !== end) yield { offset: end, problem: 'no index names the bytes from here on' };
    end = handle.offset + handle.size + trailerBytes;
    const problem = blockProblem(source, handle);
    yield problem === undefined ? handle.size : { offset: handle.offset, problem, ...(block && { block }) };
  }
  if (end !== footer) yield { offset: end, problem: 'no index names the bytes from here on' };
}

/** The handles of the two indexes: the one of other blocks, and the one of the blocks of rows. Throws `RangeError`. */
export function readFooter(source: Buffer): readonly [BlockHandle, BlockHandle] {
  const fields = createFieldReader(source.subarray(source.length - footerBytes));
  return [readHandle(fields), readHandle(fields)];
}

/** What is wrong with the block at a handle, or undefined. */
export function blockProblem(source: Buffer, { offset, size }: BlockHandle): string | undefined {
  const end = offset + size;
  if (end + trailerBytes > source.length - footerBytes) return 'the block ends after its table';
  const isRight = crc32c(source, offset, end + 1) === unmaskedCrc(source, end + 1);
  return isRight ? undefined : 'the checksum of the block does not match';
}

/** The entries of an index. Throws `RangeError` if it is damaged. */
export function readIndex(source: Buffer, handle: BlockHandle): IndexEntry[] {
  const problem = blockProblem(source, handle);
  if (problem !== undefined) throw new RangeError(problem);
  return readBlock(source, handle).map(({ key, value }) => ({
    key,
    handle: readHandle(createFieldReader(value)),
  }));
}

/** The keys and values of a block. Throws `RangeError` if it is damaged. */
export function readBlock(source: Buffer, { offset, size }: BlockHandle): { key: Buffer; value: Buffer }[] {
  const stored = source.subarray(offset, offset + size);
  const bytes = source[offset + size] === snappyKind ? uncompressSnappy(stored) : stored;
  // The block ends with the restart points, where keys are stored in full, and their number.
  const fullKeys = bytes.readUInt32LE(bytes.length - 4);
  const fields = createFieldReader(bytes.subarray(0, bytes.length - 4 - 4 * fullKeys));
  const entries: { key: Buffer; value: Buffer }[] = [];
  let key: Buffer = Buffer.alloc(0);
  while (!fields.isAtEnd) {
    const sharedBytes = fields.varint();
    const keyBytes = fields.varint();
    const valueBytes = fields.varint();
    if (sharedBytes > key.length) throw new RangeError('a key repeats more than there is');
    const rest = fields.bytes(keyBytes);
    key = sharedBytes === 0 ? rest : Buffer.concat([key.subarray(0, sharedBytes), rest]);
    entries.push({ key, value: fields.bytes(valueBytes) });
  }
  return entries;
}

function readHandle(fields: FieldReader): BlockHandle {
  return { offset: fields.varint(), size: fields.varint() };
}
