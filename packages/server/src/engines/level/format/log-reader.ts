import { crc32c, crcTable, unmaskedCrc } from './crc32c.js';
import { blockBytes, logHeaderBytes, RecordKind } from './log-format.js';

// Reads a log, or a MANIFEST, which has the same format: `log_reader.cc` of LevelDB, but it skips nothing silently.

/** A whole record: one batch, or one edit of a MANIFEST. */
export interface ReadRecord {
  /** The offset of its first header, in bytes of the file. */
  readonly start: number;
  readonly bytes: Buffer;
}

/** A place at which no record can be read. */
export interface LogFault {
  readonly offset: number;
  readonly problem: string;
  /** Whether a record follows it: writers append, so the record at the fault was once complete. */
  readonly isFollowed: boolean;
}

export interface LogContent {
  readonly records: readonly ReadRecord[];
  readonly faults: readonly LogFault[];
  /** Where the last whole record ends. */
  readonly end: number;
}

/** Whether a record that was found while searching after a fault can belong to this log, by its first bytes. */
export type IsPlausible = (bytes: Buffer) => boolean;

interface Fragment {
  readonly kind: number;
  readonly bytes: Buffer;
  readonly end: number;
}

/**
 * Reads all records of a log. After a fault it searches for the next record: at the next bytes of the block, in case
 * the length is wrong, then in the next block.
 */
export function readLog(source: Buffer, isPlausible: IsPlausible = () => true): LogContent {
  const records: ReadRecord[] = [];
  const faults: { offset: number; problem: string; isFollowed: boolean }[] = [];
  let begun: { start: number; fragments: Buffer[] } | undefined;
  let isSearching = false;
  let at = 0;
  let recordsEnd = 0;

  function fault(offset: number, problem: string): void {
    begun = undefined;
    if (!isSearching) faults.push({ offset, problem, isFollowed: false });
    isSearching = true;
  }

  function begin(start: number): { start: number; fragments: Buffer[] } {
    if (begun !== undefined) fault(begun.start, 'the record has no end');
    isSearching = false;
    for (const earlier of faults) earlier.isFollowed = true;
    return { start, fragments: [] };
  }

  function take({ kind, bytes, end }: Fragment): void {
    const start = at;
    const isFirst = kind === RecordKind.full || kind === RecordKind.first;
    at = end;
    if (isFirst) {
      if (isSearching && !isPlausible(bytes)) return;
      begun = begin(start);
    } else if (begun === undefined) {
      // While searching it is the rest of the record that has the fault.
      if (!isSearching) fault(start, 'the record has no beginning');
      return;
    }
    begun?.fragments.push(bytes);
    if (begun !== undefined && (kind === RecordKind.full || kind === RecordKind.last)) {
      const { fragments } = begun;
      const whole = fragments.length === 1 ? bytes : Buffer.concat(fragments);
      records.push({ start: begun.start, bytes: whole });
      recordsEnd = end;
      begun = undefined;
    }
  }

  while (at < source.length) {
    const blockEnd = Math.min(source.length, (Math.floor(at / blockBytes) + 1) * blockBytes);
    if (blockEnd - at < logHeaderBytes) {
      // The end of a block is empty if no header fits there; the file may end within a header.
      if (blockEnd % blockBytes !== 0 && !isZero(source, at, blockEnd)) fault(at, 'a header is cut off');
      at = blockEnd;
      continue;
    }
    if (isZero(source, at, Math.min(blockEnd, at + logHeaderBytes))) {
      // Space that was preallocated: everything after it is zero too.
      const next = firstNonZero(source, at);
      if (next === source.length) break;
      fault(at, 'zeros are in place of a record');
      // A header may begin with zeros of its own.
      const earliest = Math.max(at + 1, next - logHeaderBytes + 1);
      at = next >= blockEnd ? Math.floor(next / blockBytes) * blockBytes : earliest;
      continue;
    }
    const fragment = fragmentAt(source, at, blockEnd);
    if (typeof fragment === 'object') {
      take(fragment);
      continue;
    }
    fault(at, fragment);
    at = nextFragment(source, at + 1, blockEnd) ?? blockEnd;
  }
  if (begun !== undefined) fault(begun.start, 'the record is cut off');
  return { records, faults, end: recordsEnd };
}

/** The fragment at a place, or what is wrong there. */
function fragmentAt(source: Buffer, at: number, blockEnd: number): Fragment | string {
  const kind = source[at + 6] as number;
  const end = at + logHeaderBytes + source.readUInt16LE(at + 4);
  if (end > blockEnd) return 'the record is longer than its block or its file';
  if (crc32c(source, at + 6, end) !== unmaskedCrc(source, at)) return 'the checksum does not match';
  if (kind < RecordKind.full || kind > RecordKind.last) return `the record has the unknown type ${kind}`;
  return { kind, bytes: source.subarray(at + logHeaderBytes, end), end };
}

/** The next place in the block where a fragment is whole. */
function nextFragment(source: Buffer, from: number, blockEnd: number): number | undefined {
  for (let at = from; at + logHeaderBytes <= blockEnd; at++) {
    const kind = source[at + 6] as number;
    const isPossible = kind >= RecordKind.full && kind <= RecordKind.last;
    if (isPossible && typeof fragmentAt(source, at, blockEnd) === 'object') return at;
  }
  return undefined;
}

/**
 * Whether the fragment at a fault was written whole and then changed, rather than cut off by a crash: its checksum
 * holds for another length, or one flipped bit explains the mismatch. At most one in 16,000 writes that a crash cut off
 * is mistaken for such a change (32 KiB of bits against 32 bits of checksum).
 */
export function wasChanged(source: Buffer, at: number): boolean {
  const blockEnd = Math.min(source.length, (Math.floor(at / blockBytes) + 1) * blockBytes);
  if (at + logHeaderBytes > blockEnd || isZero(source, at, at + logHeaderBytes)) return false;
  if (typeof fragmentAt(source, at, blockEnd) === 'object') return false;
  const stored = unmaskedCrc(source, at);
  const end = at + logHeaderBytes + source.readUInt16LE(at + 4);
  if (end <= blockEnd) {
    const difference = crc32c(source, at + 6, end) ^ stored;
    if (isOneBit(difference, end - at - 6) || isOneBitOfStored(source, at, difference ^ stored)) return true;
  }
  return hasOtherLength(source, at, blockEnd, stored);
}

/** Whether one flipped bit in `bytes` bytes changes a CRC-32C by this difference. */
function isOneBit(difference: number, bytes: number): boolean {
  for (let bit = 0; bit < 8; bit++) {
    let effect = crcTable[1 << bit] as number;
    for (let after = 0; after < bytes; after++) {
      if (effect === (difference | 0)) return true;
      effect = (effect >>> 8) ^ (crcTable[effect & 255] as number);
    }
  }
  return false;
}

function isOneBitOfStored(source: Buffer, at: number, computed: number): boolean {
  const stored = Buffer.from(source.subarray(at, at + 4));
  for (let bit = 0; bit < 32; bit++) {
    const byte = bit >> 3;
    stored[byte] = (stored[byte] as number) ^ (1 << (bit & 7));
    if (unmaskedCrc(stored, 0) === computed >>> 0) return true;
    stored[byte] = (stored[byte] as number) ^ (1 << (bit & 7));
  }
  return false;
}

function hasOtherLength(source: Buffer, at: number, blockEnd: number, stored: number): boolean {
  let register = -1;
  for (let place = at + 6; place < blockEnd; place++) {
    register = (register >>> 8) ^ (crcTable[(register ^ (source[place] as number)) & 255] as number);
    if (~register >>> 0 === stored) return true;
  }
  return false;
}

function isZero(source: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (source[at] !== 0) return false;
  return true;
}

function firstNonZero(source: Buffer, from: number): number {
  let at = from;
  while (at < source.length && source[at] === 0) at++;
  return at;
}
