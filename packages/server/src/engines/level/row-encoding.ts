import type { Put } from '../item-store.js';

/**
 * How rows are stored in LevelDB, which orders keys by their bytes:
 *
 *   space NUL key                → value, then a trailer: 00, or the due time in 7 bytes and 01
 *   01 seconds NUL space NUL key → nothing: an entry of the due index; the row is due then
 *
 * Spaces have no NUL, and NUL sorts before everything else. So two pairs of space and key never have the same row key,
 * the rows of a space are together in the order of their keys, and a space that is a prefix of another does not overlap
 * it. The trailer shows whether an entry of the due index is still valid. It follows the value, so that a
 * read is a view and not a copy; it is ASCII, so that a value that is text can be read as text.
 */

const noDue = 0x00;
const hasDue = 0x01;
const dueBytes = 7;
const secondsDigits = 15;

export const dueMark = '\u0001';
/** The first key after the due index: spaces begin with a letter. */
export const behindDueIndex = '\u0002';

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

export function encodeValue(put: Put): Buffer {
  const { value, dueSeconds } = put;
  const size = value.length;
  if (dueSeconds === undefined) {
    const raw = Buffer.allocUnsafe(size + 1);
    raw.set(value);
    raw[size] = noDue;
    return raw;
  }
  const raw = Buffer.allocUnsafe(size + dueBytes + 1);
  raw.set(value);
  writeDue(raw, size, dueSeconds);
  raw[size + dueBytes] = hasDue;
  return raw;
}

export function decodeValue(raw: Buffer): Buffer {
  const last = raw.length - 1;
  return raw.subarray(0, raw[last] === noDue ? last : last - dueBytes);
}

/** The same for a row that was read as text. */
export function decodeText(raw: string): string {
  const last = raw.length - 1;
  return raw.slice(0, raw.charCodeAt(last) === noDue ? last : last - dueBytes);
}

export function dueOf(raw: Buffer | undefined): number | undefined {
  if (raw === undefined || raw[raw.length - 1] === noDue) return undefined;
  let seconds = 0;
  for (const byte of raw.subarray(raw.length - 1 - dueBytes, -1)) seconds = seconds * 128 + byte;
  return seconds;
}

/** Seven bits in each of seven bytes: 49 bits, and a due time needs 48. */
function writeDue(raw: Buffer, at: number, seconds: number): void {
  let rest = seconds;
  for (let byte = at + dueBytes - 1; byte >= at; byte--) {
    raw[byte] = rest % 128;
    rest = Math.floor(rest / 128);
  }
}
