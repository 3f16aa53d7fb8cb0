import { minus, nine, zero } from '../../../json/characters.js';
import { decimalText } from '../../../json/decimal.js';
import { rank, type SortValue } from '../../query/sort-order.js';

/**
 * How the values of an index are written in the keys of its entries: the order of the texts by their UTF-8 bytes is the
 * order of the values (docs/http.md#ordered-queries).
 *
 *   false, true, list, object, null, missing → the digit of the rank
 *   0        → 2 1
 *   above 0  → 2 2, the exponent in 4 digits, the significant digits, !
 *   below 0  → 2 0, the same with each digit d written as 9 - d, ~
 *   string   → 3, its characters, U+0000
 *   longer string → 3, its first characters, U+0001 U+0003
 *
 * A number is 0.d × 10^exponent, where d has no outer zeros. In a string, U+0000 and U+0001 are written as U+0001 U+0001
 * and U+0001 U+0002. No text is the beginning of another, so the texts of several values can follow each other.
 *
 * A long string shares its text with all strings that begin in the same way. Their order among each other is not in the
 * index.
 */
export interface EncodedValue {
  readonly text: string;
  /** Whether values that differ in the order have different texts. False for a long string. */
  readonly isExact: boolean;
}

const stringEnd = '\0';
const cutEnd = '\u0001\u0003';
const aboveEnd = '!';
const belowEnd = '~';
/** Added to each exponent. Those of valid numbers are between -1323 and 1309. */
const exponentOffset = 5000;
const maxExponent = 9999;
const exponentDigits = 4;
const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The text of a value. Of a string, at most `maxCharacters` are kept. */
export function encodeValue(value: SortValue, maxCharacters: number): EncodedValue {
  if (value.text !== undefined) return encodeString(value.text, maxCharacters);
  if (value.number !== undefined) return { text: encodeNumber(value.number.text), isExact: true };
  return { text: String(value.rank), isExact: true };
}

function encodeString(text: string, maxCharacters: number): EncodedValue {
  const kept = firstCharacters(text, maxCharacters);
  const isExact = kept.length === text.length;
  return { text: `${rank.string}${escaped(kept)}${isExact ? stringEnd : cutEnd}`, isExact };
}

/** The beginning of the texts of all strings that begin with this one. */
export function encodePrefix(prefix: string, maxCharacters: number): string {
  return `${rank.string}${escaped(firstCharacters(prefix, maxCharacters))}`;
}

/** Whether entries keep all of such a beginning. */
export function isKeptPrefix(prefix: string, maxCharacters: number): boolean {
  return firstCharacters(prefix, maxCharacters).length === prefix.length;
}

/** The first characters of a string: a surrogate pair is one. */
function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let characters = 0; characters < count && end < text.length; characters++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters with a special meaning.
  return text.replace(/[\0\u0001]/g, (character) => (character === '\0' ? '\u0001\u0001' : '\u0001\u0002'));
}

/** Equal numbers have the same text. */
export function encodeNumber(text: string): string {
  const [sign, whole, fraction, exponent] = partsOfNumber(text);
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all.charCodeAt(start) === zero) start++;
  while (end > start && all.charCodeAt(end - 1) === zero) end--;
  if (start === end) return `${rank.number}1`;
  const magnitude = Number(exponent) + whole.length - start + exponentOffset;
  const digits =
    String(Math.min(Math.max(magnitude, 0), maxExponent)).padStart(exponentDigits, '0') +
    all.slice(start, end);
  return sign === ''
    ? `${rank.number}2${digits}${aboveEnd}`
    : `${rank.number}0${inverted(digits)}${belowEnd}`;
}

/** The sign, the digits before and after the point, and the exponent. Most numbers are whole: they need no pattern. */
function partsOfNumber(
  text: string,
): readonly [sign: string, whole: string, fraction: string, exponent: string] {
  let at = text.charCodeAt(0) === minus ? 1 : 0;
  while (at < text.length && isDigit(text.charCodeAt(at))) at++;
  if (at === text.length)
    return text.charCodeAt(0) === minus ? ['-', text.slice(1), '', '0'] : ['', text, '', '0'];
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numberPattern.exec(text) ?? [];
  return [sign, whole, fraction, exponent];
}

function isDigit(character: number): boolean {
  return character >= zero && character <= nine;
}

function inverted(digits: string): string {
  let result = '';
  for (const digit of digits) result += 9 - Number(digit);
  return result;
}

/** The end of the encoded value that begins at `at`. */
export function endOfValue(text: string, at: number): number {
  const valueRank = Number(text[at]);
  if (valueRank === rank.number) {
    const sign = text[at + 1];
    return sign === '1' ? at + 2 : text.indexOf(sign === '2' ? aboveEnd : belowEnd, at + 2) + 1;
  }
  if (valueRank !== rank.string) return at + 1;
  for (let next = at + 1; ; next++) {
    if (text[next] === stringEnd) return next + 1;
    if (text[next] !== '\u0001') continue;
    next++;
    if (text[next] === '\u0003') return next + 1;
  }
}

/**
 * The JSON of the value that has this text: numbers in their shortest form. Gives undefined if the text does not say it:
 * of a list, an object and a long string. A missing value has no JSON: the empty text.
 */
export function decodeValue(encoded: string): string | undefined {
  switch (Number(encoded[0])) {
    case rank.false:
      return 'false';
    case rank.true:
      return 'true';
    case rank.null:
      return 'null';
    case rank.missing:
      return '';
    case rank.number:
      return decodeNumber(encoded);
    case rank.string:
      return isCut(encoded) ? undefined : JSON.stringify(unescaped(encoded.slice(1, -1)));
    default:
      return undefined;
  }
}

function unescaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters with a special meaning.
  return text.replace(/\u0001[\u0001\u0002]/g, (pair) => (pair[1] === '\u0001' ? '\0' : '\u0001'));
}

function decodeNumber(encoded: string): string {
  if (encoded[1] === '1') return '0';
  const isBelow = encoded[1] === '0';
  const written = encoded.slice(2, -1);
  const all = isBelow ? inverted(written) : written;
  const digits = all.slice(exponentDigits);
  const exponent = Number(all.slice(0, exponentDigits)) - exponentOffset - digits.length;
  return decimalText({ digits: BigInt(isBelow ? `-${digits}` : digits), exponent });
}

/** Whether an encoded value is that of a long string. */
export function isCut(encoded: string): boolean {
  return encoded.endsWith(cutEnd);
}

/** The first text after all that begin with this encoded value. */
export function afterValue(encoded: string): string {
  const last = encoded.length - 1;
  return encoded.slice(0, last) + String.fromCharCode(encoded.charCodeAt(last) + 1);
}
