import type { Put } from '../../item-store.js';
import {
  byteOfChunk,
  checksumBytes,
  checksumInChunk,
  checksumOf,
  checksumOfChunk,
  fillChunk,
  readChecksum,
  seedOf,
  writeChecksum,
} from './row-checksum.js';

export { seedOf } from './row-checksum.js';

/**
 * How rows are stored in LevelDB, which orders keys by their bytes:
 *
 *   space NUL key                → value, the due time in 7 bytes if there is one, a checksum in 5, the kind of the row
 *   01 seconds NUL space NUL key → nothing: an entry of the due index; the row is due then
 *
 * Spaces have no NUL, and NUL sorts before everything else. So two pairs of space and key never have the same row key,
 * the rows of a space are together in the order of their keys, and a space that is a prefix of another does not overlap
 * it. What follows the value shows whether an entry of the due index is still valid. It follows the value, so that a
 * read is a view and not a copy; it is ASCII, so that a value that is text can be read as text.
 *
 * The checksum is that of everything before it, and of the row key and the kind. LevelDB does not compare the checksums
 * of its blocks when it reads. Data folders up to format 2 have rows without one.
 */

/** Four bits of each differ from each other: no flipped bit makes a kind from another. */
const kinds = { plain: 0x3c, due: 0x5a, plainUnchecked: 0x00, dueUnchecked: 0x01 } as const;
const dueBytes = 7;
const secondsDigits = 15;

export const dueMark = '\u0001';
/** The first key after the due index: spaces begin with a letter. */
export const afterDueIndex = '\u0002';

export function rowKey(space: string, key: string): string {
  return `${space}\0${key}`;
}

/** The first key after all rows of a space. */
export function endOfSpace(space: string): string {
  return `${space}\u0001`;
}

export function dueKey(seconds: number, rowKey: string): string {
  return `${dueMark}${String(seconds).padStart(secondsDigits, '0')}\0${rowKey}`;
}

/** The row key and the time of an entry of the due index. */
export function parseDueKey(entry: string): { seconds: number; rowKey: string } {
  const end = dueMark.length + secondsDigits;
  return { seconds: Number(entry.slice(dueMark.length, end)), rowKey: entry.slice(end + 1) };
}

export function parseRowKey(rowKey: string): { space: string; key: string } {
  const at = rowKey.indexOf('\0');
  return { space: rowKey.slice(0, at), key: rowKey.slice(at + 1) };
}

/** The bytes to store for a row. `id` is its row key, and `seed` that of it. */
export function encodeRow(id: string, { value, dueSeconds }: Put, seed = seedOf(id)): Buffer {
  const kind = dueSeconds === undefined ? kinds.plain : kinds.due;
  const end = value.length + (dueSeconds === undefined ? 0 : dueBytes);
  const raw = Buffer.allocUnsafe(end + checksumBytes + 1);
  // An entry of an index has no value.
  if (value.length > 0) raw.set(value);
  if (dueSeconds !== undefined) writeDue(raw, value.length, dueSeconds);
  writeChecksum(raw, end, checksumOf(raw, end, seed ^ kind));
  raw[raw.length - 1] = kind;
  return raw;
}

/** The bytes of a row after its value. `kind`: the last byte of the row. */
export function trailerBytes(kind: number | undefined): number {
  if (kind === kinds.plain) return checksumBytes + 1;
  if (kind === kinds.due) return dueBytes + checksumBytes + 1;
  return kind === kinds.dueUnchecked ? dueBytes + 1 : 1;
}

export function decodeValue(raw: Buffer): Buffer {
  return raw.subarray(0, raw.length - trailerBytes(raw[raw.length - 1]));
}

/** The same for a row that was read as text. */
export function decodeText(raw: string): string {
  return raw.slice(0, raw.length - trailerBytes(raw.charCodeAt(raw.length - 1)));
}

export function dueOf(raw: Buffer | undefined): number | undefined {
  const kind = raw?.[raw.length - 1];
  if (raw === undefined || (kind !== kinds.due && kind !== kinds.dueUnchecked)) return undefined;
  let seconds = 0;
  const start = raw.length - trailerBytes(kind);
  for (let at = start; at < start + dueBytes; at++) seconds = seconds * 128 + (raw[at] as number);
  return seconds;
}

/** Whether a row that was read as text has a due time. */
export function isDueText(raw: string): boolean {
  const kind = raw.charCodeAt(raw.length - 1);
  return kind === kinds.due || kind === kinds.dueUnchecked;
}

/** What is wrong with a stored row, or undefined. `seed` is that of its row key. */
export function rowProblem(seed: number, raw: Buffer, mustBeChecked: boolean): string | undefined {
  const kind = raw[raw.length - 1] as number;
  if (!hasChecksum(kind, raw.length)) return problemWithout(kind, raw.length, mustBeChecked);
  const end = raw.length - 1 - checksumBytes;
  return readChecksum(raw, end) === checksumOf(raw, end, seed ^ kind) ? undefined : wrongChecksum;
}

/** How many bytes the value has in a row that was read as text. If the row is damaged: what is wrong with it. */
export function bytesOfText(seed: number, raw: string, mustBeChecked: boolean): number | string {
  const length = fillChunk(raw);
  if (length === undefined) return bytesOfLongText(seed, Buffer.from(raw), mustBeChecked);
  const kind = byteOfChunk(length - 1);
  if (!hasChecksum(kind, length)) {
    return problemWithout(kind, length, mustBeChecked) ?? length - trailerBytes(kind);
  }
  const end = length - 1 - checksumBytes;
  if (checksumInChunk(end) !== checksumOfChunk(end, seed ^ kind)) return wrongChecksum;
  return length - trailerBytes(kind);
}

function bytesOfLongText(seed: number, raw: Buffer, mustBeChecked: boolean): number | string {
  return rowProblem(seed, raw, mustBeChecked) ?? decodeValue(raw).length;
}

const wrongChecksum = 'its checksum does not match';

function hasChecksum(kind: number, length: number): boolean {
  return (kind === kinds.plain || kind === kinds.due) && length >= trailerBytes(kind);
}

function problemWithout(kind: number, length: number, mustBeChecked: boolean): string | undefined {
  const isOld = kind === kinds.plainUnchecked || kind === kinds.dueUnchecked;
  if (!isOld || length < trailerBytes(kind)) return 'it has not the form of a row';
  return mustBeChecked ? 'it has lost its checksum' : undefined;
}

/** Seven bits in each of seven bytes: 49 bits, and a due time needs 48. */
function writeDue(raw: Buffer, start: number, seconds: number): void {
  let rest = seconds;
  for (let at = start + dueBytes - 1; at >= start; at--) {
    raw[at] = rest % 128;
    rest = Math.floor(rest / 128);
  }
}
