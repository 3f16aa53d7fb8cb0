import { encodeVarint } from './coding.js';
import { crc32c, crcTable, maskedCrc, unmaskedCrc } from './crc32c.js';
import {
  type BlockHandle,
  blockProblem,
  footerBytes,
  type IndexEntry,
  readBlock,
  readFooter,
  readIndex,
  tableMagic,
  trailerBytes,
} from './table.js';

const uncompressedKind = 0;
/** After each key LevelDB stores a sequence number, and in its lowest byte whether the row was put or deleted. */
const keySuffixBytes = 8;
/** More than any block has: a block ends with the first row after its first 4 KB. */
const maxBlockBytes = 32 * 1024 * 1024;

/**
 * A table with all blocks of rows of a damaged one whose checksum matches, as they are; undefined if there are none. It
 * has no Bloom filter, so reads of it take a little longer until LevelDB compacts it.
 */
export function salvageTable(source: Buffer): Buffer | undefined {
  const kept = (readableIndex(source) ?? findBlocks(source)).filter(
    ({ handle }) => blockProblem(source, handle) === undefined,
  );
  if (kept.length === 0) return undefined;
  const pieces: Buffer[] = [];
  let end = 0;
  function append(piece: Buffer): BlockHandle {
    const offset = end;
    pieces.push(piece);
    end += piece.length;
    return { offset, size: piece.length - trailerBytes };
  }
  const entries = kept.map(({ key, handle: { offset, size } }) => {
    const handle = append(source.subarray(offset, offset + size + trailerBytes));
    return [key, encodeHandle(handle)] as const;
  });
  const metaindex = append(encodeBlock([]));
  const index = append(encodeBlock(entries));
  const footer = Buffer.alloc(footerBytes);
  Buffer.concat([encodeHandle(metaindex), encodeHandle(index)]).copy(footer);
  tableMagic.copy(footer, footerBytes - tableMagic.length);
  return Buffer.concat([...pieces, footer]);
}

/** The entries of the index, or undefined when the index or its handle cannot be read. */
function readableIndex(source: Buffer): IndexEntry[] | undefined {
  if (source.length < footerBytes) return undefined;
  try {
    return readIndex(source, readFooter(source)[1]);
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** The blocks of rows that follow one another from the start, found by their checksums, up to the first damaged one. */
function findBlocks(source: Buffer): IndexEntry[] {
  const entries: IndexEntry[] = [];
  let offset = 0;
  for (;;) {
    const size = sizeOfBlock(source, offset);
    if (size === undefined) return entries;
    const handle = { offset, size };
    const key = lastKey(source, handle);
    if (key === undefined) return entries;
    entries.push({ key, handle });
    offset += size + trailerBytes;
  }
}

/** How long the block at `offset` is: a checksum that matches the block comes after it. */
function sizeOfBlock(source: Buffer, offset: number): number | undefined {
  const last = Math.min(source.length - trailerBytes, offset + maxBlockBytes);
  let register = -1;
  for (let end = offset; end <= last; end++) {
    register = (register >>> 8) ^ (crcTable[(register ^ (source[end] as number)) & 255] as number);
    if (~register >>> 0 === unmaskedCrc(source, end + 1)) return end - offset;
  }
  return undefined;
}

/** Undefined for a block that holds no rows. */
function lastKey(source: Buffer, handle: BlockHandle): Buffer | undefined {
  try {
    const keys = readBlock(source, handle).map(({ key }) => key);
    return keys.length > 0 && keys.every(isRowKey) ? keys.at(-1) : undefined;
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

function isRowKey(key: Buffer): boolean {
  return key.length >= keySuffixBytes && (key[key.length - keySuffixBytes] as number) <= 1;
}

function encodeHandle({ offset, size }: BlockHandle): Buffer {
  return Buffer.concat([encodeVarint(offset), encodeVarint(size)]);
}

/** A block in which each key is stored in full, with its trailer. */
function encodeBlock(entries: readonly (readonly [key: Buffer, value: Buffer])[]): Buffer {
  const pieces: Buffer[] = [];
  const starts: number[] = [];
  let end = 0;
  for (const [key, value] of entries) {
    const lengths = [0, key.length, value.length].map(encodeVarint);
    const entry = Buffer.concat([...lengths, key, value]);
    starts.push(end);
    pieces.push(entry);
    end += entry.length;
  }
  // An empty block has a restart point, too.
  const restarts = starts.length === 0 ? [0] : starts;
  const tail = Buffer.alloc(4 * restarts.length + 4 + trailerBytes);
  for (const [n, start] of restarts.entries()) tail.writeUInt32LE(start, 4 * n);
  tail.writeUInt32LE(restarts.length, 4 * restarts.length);
  tail[tail.length - trailerBytes] = uncompressedKind;
  const block = Buffer.concat([...pieces, tail]);
  const crcAt = block.length - 4;
  block.writeUInt32LE(maskedCrc(crc32c(block, 0, crcAt)), crcAt);
  return block;
}
