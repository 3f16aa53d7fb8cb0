import { zero } from './characters.js';

/** Decimal numbers of any number of digits. */

/** `digits × 10^exponent`, without trailing zeros in `digits`; 0 is `0n`, exponent 0. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Decimal exponents of the smallest and the largest number that a 64-bit float distinguishes from 0 and infinity. */
const smallestExponent = -324;
const largestExponent = 308;
/** JavaScript writes integers of more digits with an exponent. */
const longestPlainInteger = 21;
const longestPlainFraction = 6;
const pattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The value of a number in JSON's grammar. */
export function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = pattern.exec(text) ?? [];
  return decimal(sign, whole + fraction, Number(exponent) - fraction.length);
}

/** Makes a decimal of digits, which may have outer zeros. */
export function decimal(sign: string, digits: string, exponent: number): Decimal {
  const { text, zerosAfter } = withoutOuterZeros(digits);
  if (text === '') return { digits: 0n, exponent: 0 };
  return { digits: BigInt(sign + text), exponent: exponent + zerosAfter };
}

/** `integer × 10^exponent`. */
export function decimalOfInteger(integer: bigint, exponent: number): Decimal {
  return decimal(integer < 0n ? '-' : '', String(integer < 0n ? -integer : integer), exponent);
}

/**
 * The exact order of two numbers in JSON's grammar: below, equal or above 0. It makes no big integers: an item may have
 * 20,000 numbers that are compared.
 */
export function compareDecimals(a: string, b: string): number {
  const x = significantOf(a);
  const y = significantOf(b);
  if (x.sign !== y.sign) return x.sign - y.sign;
  if (x.point !== y.point) return x.point < y.point ? -x.sign : x.sign;
  if (x.digits === y.digits) return 0;
  // The texts have the order of the fractions: a zero never ends them.
  return x.digits < y.digits ? -x.sign : x.sign;
}

/** A number as `sign × 0.digits × 10^point`, without outer zeros in `digits`. */
interface Significant {
  readonly sign: number;
  readonly digits: string;
  readonly point: number;
}

function significantOf(text: string): Significant {
  const start = text.startsWith('-') ? 1 : 0;
  const e = Math.max(text.indexOf('e'), text.indexOf('E'));
  const mantissa = text.slice(start, e === -1 ? text.length : e);
  const pointAt = mantissa.indexOf('.');
  const whole = pointAt === -1 ? mantissa.length : pointAt;
  const all = pointAt === -1 ? mantissa : mantissa.slice(0, pointAt) + mantissa.slice(pointAt + 1);
  const { text: digits, zerosBefore } = withoutOuterZeros(all);
  if (digits === '') return { sign: 0, digits, point: 0 };
  const exponent = e === -1 ? 0 : Number(text.slice(e + 1));
  return { sign: start === 1 ? -1 : 1, digits, point: exponent + whole - zerosBefore };
}

/** The exact sum. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.digits === 0n) return b;
  if (b.digits === 0n) return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return decimalOfInteger(scaled(a) + scaled(b), exponent);
}

/** The number as JavaScript writes it: plain if that is short, else with an exponent. */
export function decimalText({ digits, exponent }: Decimal): string {
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

/** Without a pattern: `0+$` would be tried at each of many zeros. */
function withoutOuterZeros(digits: string): { text: string; zerosBefore: number; zerosAfter: number } {
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === zero) start++;
  while (end > start && digits.charCodeAt(end - 1) === zero) end--;
  return { text: digits.slice(start, end), zerosBefore: start, zerosAfter: digits.length - end };
}
