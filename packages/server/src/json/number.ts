import { nine, point, zero } from './characters.js';
import { addDecimals, compareDecimals, decimalOf, decimalText } from './decimal.js';
import { JsonNumber } from './value.js';

/** The maximum of significant digits without a fraction and an exponent, and with one (docs/http.md#numbers). */
export const maxIntegerDigits = 16;
export const maxDecimalDigits = 17;
/**
 * The maximum of characters of a number, including zeros before and after its significant digits
 * (docs/http.md#numbers).
 */
export const maxNumberCharacters = 1000;

/** The number of digits that a float keeps of every number from `smallestWholeFloat` on. */
const floatDigits = 15;
const smallestWholeFloat = 1e-290;
/** A shorter text without an exponent is neither too large nor too small for a float. */
const smallestPlainExtreme = 300;
/** An integer that JavaScript writes just so. */
const plainInteger = /^-?[1-9]\d{0,19}$/;

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
  return compareDecimals(a.text, b.text);
}

/** The same number in the fewest characters: for a number that is compared many times. */
export function shortest(number: JsonNumber): JsonNumber {
  if (plainInteger.test(number.text)) return number;
  return new JsonNumber(decimalText(decimalOf(number.text)));
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
  const text = decimalText(addDecimals(x, y));
  return numberProblem(text) === undefined ? new JsonNumber(text) : undefined;
}
