import { JsonNumber } from './value.js';

/** The maximum of significant digits without a fraction and an exponent, and with one (docs/http.md#numbers). */
const maxIntegerDigits = 16;
const maxDecimalDigits = 17;
/**
 * The maximum of characters of a number, including zeros before and after its significant digits
 * (docs/http.md#numbers).
 */
export const maxNumberCharacters = 1000;

/** Decimal exponents of the smallest and the largest number that a 64-bit float distinguishes from 0 and infinity. */
const smallestExponent = -324;
const largestExponent = 308;
/** So many digits of every number survive in a float, of those from here on. */
const floatDigits = 15;
const smallestWholeFloat = 1e-290;
/** JavaScript writes integers of more digits with an exponent. */
const longestPlainInteger = 21;
const longestPlainFraction = 6;

/** `digits × 10^exponent`, without trailing zeros in `digits`; 0 is `0n`, exponent 0. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** A shorter text without an exponent is neither too large nor too small for a float. */
const smallestPlainExtreme = 300;
const zero = 0x30;
const nine = 0x39;
const point = 0x2e;
const pattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The rule that a number breaks, or undefined (docs/http.md#numbers). `text` is a number in JSON's grammar. Leading
 * and trailing zeros are not significant: an exponent could replace them.
 */
export function numberProblem(text: string): string | undefined {
  if (text.length > maxNumberCharacters) {
    return `a number of ${text.length} characters, at most ${maxNumberCharacters}; store it as a string`;
  }
  let digits = 0;
  let trailingZeros = 0;
  let isInteger = true;
  let at = text.startsWith('-') ? 1 : 0;
  for (; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === point) isInteger = false;
    else if (char < zero || char > nine) break;
    else if (char !== zero) {
      digits += trailingZeros + 1;
      trailingZeros = 0;
    } else if (digits > 0) trailingZeros++;
  }
  const hasExponent = at < text.length;
  const maxDigits = isInteger && !hasExponent ? maxIntegerDigits : maxDecimalDigits;
  if (digits > maxDigits) {
    return `a number of ${digits} significant digits, at most ${maxDigits}; store it as a string`;
  }
  if (!hasExponent && text.length < smallestPlainExtreme) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return 'a number that is too large for a 64-bit float; store it as a string';
  if (value === 0 && digits > 0) return 'a number that is too small for a 64-bit float; store it as a string';
  return undefined;
}

/** Without a pattern: `0+$` would be tried at each of many zeros. */
function withoutOuterZeros(digits: string): { text: string; zerosBehind: number } {
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === zero) start++;
  while (end > start && digits.charCodeAt(end - 1) === zero) end--;
  return { text: digits.slice(start, end), zerosBehind: digits.length - end };
}

/** Exact order: below, equal or above 0. `1.0` equals `1`, `-0` equals `0`. */
export function compareNumbers(a: JsonNumber, b: JsonNumber): number {
  const x = Number(a.text);
  const y = Number(b.text);
  // Rounding to a float keeps the order, so different floats decide it.
  if (x !== y) return x < y ? -1 : 1;
  if (a.text === b.text) return 0;
  // A float distinguishes all numbers of 15 digits, unless they are so small that it has fewer digits for them.
  const isShort = a.text.length <= floatDigits && b.text.length <= floatDigits;
  if (isShort && (x === 0 || Math.abs(x) > smallestWholeFloat)) return 0;
  const difference = add(decimalOf(a.text), negated(decimalOf(b.text))).digits;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** The same number in the fewest characters: for a number that is compared many times. */
export function shortest(number: JsonNumber): JsonNumber {
  return new JsonNumber(textOf(decimalOf(number.text)));
}

/**
 * The exact sum, written as JavaScript would: 0.1 and 0.2 are 0.3. Undefined when it breaks the number rule as it is
 * written: a sum without a fraction has up to 16 significant digits, another one up to 17 (docs/http.md#update-item).
 */
export function addNumbers(a: JsonNumber, b: JsonNumber): JsonNumber | undefined {
  const x = decimalOf(a.text);
  const y = decimalOf(b.text);
  if (x.digits !== 0n && y.digits !== 0n) {
    // 1e308 + 1 has 309 significant digits. That is too many, and they need not be computed to know it.
    const gap = Math.abs(x.exponent - y.exponent);
    if (gap > 2 * maxDecimalDigits) return undefined;
  }
  const text = textOf(add(x, y));
  return numberProblem(text) === undefined ? new JsonNumber(text) : undefined;
}

function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = pattern.exec(text) ?? [];
  return decimal(sign, whole + fraction, Number(exponent) - fraction.length);
}

function decimal(sign: string, digits: string, exponent: number): Decimal {
  const { text, zerosBehind } = withoutOuterZeros(digits);
  if (text === '') return { digits: 0n, exponent: 0 };
  return { digits: BigInt(sign + text), exponent: exponent + zerosBehind };
}

function add(a: Decimal, b: Decimal): Decimal {
  if (a.digits === 0n) return b;
  if (b.digits === 0n) return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  const sum = scaled(a) + scaled(b);
  return decimal(sum < 0n ? '-' : '', String(sum < 0n ? -sum : sum), exponent);
}

function negated({ digits, exponent }: Decimal): Decimal {
  return { digits: -digits, exponent };
}

/** The number as JavaScript writes it: plain if that is short, else with an exponent. */
function textOf({ digits, exponent }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits);
  /** How many digits are before the decimal point. */
  const point = text.length + exponent;
  if (point > largestExponent + 1 || point < smallestExponent) return `${sign}${text}e${exponent}`;
  if (exponent >= 0 && point <= longestPlainInteger) return sign + text + '0'.repeat(exponent);
  if (point > 0 && point <= longestPlainInteger) return `${sign}${text.slice(0, point)}.${text.slice(point)}`;
  if (point <= 0 && point > -longestPlainFraction) return `${sign}0.${'0'.repeat(-point)}${text}`;
  const fraction = text.length > 1 ? `.${text.slice(1)}` : '';
  return `${sign}${text[0]}${fraction}e${point > 0 ? '+' : ''}${point - 1}`;
}
