import {
  backslash,
  beginsNumber,
  colon,
  comma,
  listEnd,
  listStart,
  minus,
  nine,
  objectEnd,
  objectStart,
  plus,
  point,
  quote,
  zero,
} from './characters.js';
import { maxNumberCharacters, numberProblem } from './number.js';

/**
 * Checks in one pass whether bytes are canonical JSON that breaks no rule: what `stringifyJson` would write, no empty
 * attribute name, no name twice in one object, exact numbers, limited nesting. It makes no values: bytes that pass are
 * stored as they arrived, which is 2-3 times as fast as `JSON.parse` and `JSON.stringify` (and those change numbers).
 * It accepts or declines (-1). What it declines is read by `parseJson`, which says what is wrong. It does not check
 * UTF-8: the caller checks the whole body at once.
 */

/** A number of at most this many characters without an exponent cannot break a rule. */
const surelyExactCharacters = 16;
/** From this many members on, to sort the names at the end is faster than to compare each with every previous one. */
const manyMembers = 24;

export const declined = -1;

/** The end of the value that begins at `at`, or `declined`. */
export function scanValue(bytes: Uint8Array, at: number, depthLeft: number): number {
  const first = bytes[at]!;
  if (first === quote) return scanString(bytes, at);
  if (first === objectStart) return scanObject(bytes, at, depthLeft);
  if (first === listStart) return scanList(bytes, at, depthLeft);
  if (beginsNumber(first)) return scanNumber(bytes, at);
  return scanWord(bytes, at);
}

/** Called with each member of an object: where its name (with quotes) and its value are. */
export type OnMember = (nameAt: number, nameEnd: number, valueAt: number, valueEnd: number) => void;

export function scanObject(bytes: Uint8Array, start: number, depthLeft: number, onMember?: OnMember): number {
  if (depthLeft === 0 || bytes[start] !== objectStart) return declined;
  let at = start + 1;
  if (bytes[at] === objectEnd) return at + 1;
  const names: number[] = [];
  for (;;) {
    const nameAt = at;
    if (bytes[at] !== quote) return declined;
    const nameEnd = scanString(bytes, at);
    if (nameEnd === declined || nameEnd === nameAt + 2 || bytes[nameEnd] !== colon) return declined;
    // Two names with the same hash may be equal: `parseJson` decides.
    const hash = hashOf(bytes, nameAt, nameEnd);
    if (names.length < manyMembers && names.includes(hash)) return declined;
    names.push(hash);
    const valueEnd = scanValue(bytes, nameEnd + 1, depthLeft - 1);
    if (valueEnd === declined) return declined;
    onMember?.(nameAt, nameEnd, nameEnd + 1, valueEnd);
    if (bytes[valueEnd] === objectEnd)
      return names.length > manyMembers && hasTwice(names) ? declined : valueEnd + 1;
    if (bytes[valueEnd] !== comma) return declined;
    at = valueEnd + 1;
  }
}

/**
 * Whether a number is there twice. Not by a `Set`: V8 spreads small integers without a secret, so whoever chooses the
 * names could let all hashes share a bucket, and each would be compared with all before it.
 */
function hasTwice(numbers: readonly number[]): boolean {
  const sorted = Int32Array.from(numbers).sort();
  for (let n = 1; n < sorted.length; n++) if (sorted[n] === sorted[n - 1]) return true;
  return false;
}

function scanList(bytes: Uint8Array, start: number, depthLeft: number): number {
  if (depthLeft === 0) return declined;
  let at = start + 1;
  if (bytes[at] === listEnd) return at + 1;
  for (;;) {
    const end = scanValue(bytes, at, depthLeft - 1);
    if (end === declined) return declined;
    if (bytes[end] === listEnd) return end + 1;
    if (bytes[end] !== comma) return declined;
    at = end + 1;
  }
}

function scanString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) return at + 1;
    if (byte < 0x20) return declined;
    if (byte === backslash) {
      const length = canonicalEscapeLength(bytes, at);
      if (length === 0) return declined;
      at += length - 1;
    }
  }
  return declined;
}

/** The escapes that `JSON.stringify` writes: short ones where there is one, `\u00xx` for other control characters. */
function canonicalEscapeLength(bytes: Uint8Array, at: number): number {
  switch (bytes[at + 1]) {
    case quote:
    case backslash:
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2;
    case 0x75: {
      const text = String.fromCharCode(...bytes.subarray(at, at + 6));
      return /^\\u00(?:0[0-7bef]|1[0-9a-f])$/.test(text) ? 6 : 0;
    }
    default:
      return 0;
  }
}

function scanNumber(bytes: Uint8Array, start: number): number {
  const whole = bytes[start] === minus ? start + 1 : start;
  let at = bytes[whole] === zero ? whole + 1 : skipDigits(bytes, whole);
  if (at !== declined && bytes[at] === point) at = skipDigits(bytes, at + 1);
  // e and E differ in one bit.
  const hasExponent = at !== declined && (bytes[at]! | 0x20) === 0x65;
  if (hasExponent) {
    const sign = bytes[at + 1] === plus || bytes[at + 1] === minus ? 1 : 0;
    at = skipDigits(bytes, at + 1 + sign);
  }
  if (at === declined || (!hasExponent && at - start <= surelyExactCharacters)) return at;
  if (at - start > maxNumberCharacters) return declined;
  const text = String.fromCharCode(...bytes.subarray(start, at));
  return numberProblem(text) === undefined ? at : declined;
}

/** The end of one digit or more. */
function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at]! >= zero && bytes[at]! <= nine) at++;
  return at === start ? declined : at;
}

const words = ['null', 'true', 'false'].map((word) => Buffer.from(word));

function scanWord(bytes: Uint8Array, at: number): number {
  for (const word of words) {
    if (bytes[at] === word[0]) {
      for (let n = 1; n < word.length; n++) if (bytes[at + n] !== word[n]) return declined;
      return at + word.length;
    }
  }
  return declined;
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash;
}
