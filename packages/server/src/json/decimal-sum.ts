import { minus, nine, point, zero } from './characters.js';
import { type Decimal, decimal, decimalOf, decimalOfInteger, decimalText } from './decimal.js';
import { maxDecimalDigits, maxIntegerDigits, numberProblem } from './number.js';

/** A number as it is answered. */
export interface Rounded {
  /** Null if it is too large for a 64-bit float. */
  readonly text: string | null;
  readonly isExact: boolean;
}

/** The digits of most numbers fit into a float with their sign. */
const quickDigits = 15;
/** A sum of floats that is not larger has no rounded digit, and neither has the next one. */
const mostQuick = 2 ** 53 - 10 ** quickDigits;
/** Numbers with more digits after the point are added as decimals. */
const quickFraction = 8;

/** About how many bytes a sum takes, and each different exponent of numbers that are not short. */
export const sumBytes = 96;
const exponentBytes = 96;

/**
 * An exact sum of any number of numbers (docs/http.md#aggregates). Numbers with few digits are added as integers, apart
 * by the number of their digits after the point; all others by their exponents, of which there are fewer than 2,000.
 */
export class DecimalSum {
  count = 0;
  private readonly quick: number[] = [];
  private large: Map<number, bigint> | undefined;

  /** Adds a number in JSON's grammar. Gives how many bytes more the sum needs. */
  add(text: string): number {
    this.count++;
    let at = text.charCodeAt(0) === minus ? 1 : 0;
    let digits = 0;
    let fraction = -1;
    for (; at < text.length; at++) {
      const char = text.charCodeAt(at);
      if (char >= zero && char <= nine) {
        digits = digits * 10 + (char - zero);
        if (fraction >= 0) fraction++;
      } else if (char === point) fraction = 0;
      else break;
    }
    const places = Math.max(0, fraction);
    if (at < text.length || text.length > quickDigits || places > quickFraction)
      return this.addLarge(decimalOf(text));
    const value = text.charCodeAt(0) === minus ? -digits : digits;
    const sum = (this.quick[places] ?? 0) + value;
    if (Math.abs(sum) <= mostQuick) {
      this.quick[places] = sum;
      return 0;
    }
    this.quick[places] = value;
    return this.addLarge({ digits: BigInt(sum - value), exponent: -places });
  }

  /** How many sums `total` adds: one for each exponent. */
  get parts(): number {
    return this.quick.length + (this.large?.size ?? 0);
  }

  /** The exact sum. From the largest exponent down, so that each step makes the sum only a few digits longer. */
  get total(): Decimal {
    const parts = [...(this.large ?? [])];
    // `forEach` leaves holes out.
    this.quick.forEach((sum, places) => {
      parts.push([-places, BigInt(sum)]);
    });
    parts.sort(([a], [b]) => b - a);
    let total = 0n;
    let last = 0;
    for (const [exponent, digits] of parts) {
      // A power of 10 is made of each difference, and most of them are 1.
      if (total !== 0n && exponent !== last) total *= 10n ** BigInt(last - exponent);
      total += digits;
      last = exponent;
    }
    return decimalOfInteger(total, last);
  }

  private addLarge({ digits, exponent }: Decimal): number {
    this.large ??= new Map();
    const before = this.large.get(exponent);
    this.large.set(exponent, (before ?? 0n) + digits);
    return before === undefined ? exponentBytes : 0;
  }
}

/** The number as it may be stored (docs/http.md#numbers): rounded half to even if it has more digits than are kept. */
export function rounded(value: Decimal): Rounded {
  const text = decimalText(value);
  if (numberProblem(text) === undefined) return { text, isExact: true };
  for (const digits of [maxDecimalDigits, maxIntegerDigits]) {
    const shorter = decimalText(roundedTo(value, digits));
    if (numberProblem(shorter) === undefined) return { text: shorter, isExact: false };
  }
  return { text: Number(text) === 0 ? '0' : null, isExact: false };
}

/** The number of digits of a quotient that are computed before it is rounded. */
const quotientDigits = 24;

/** The quotient, rounded as a number that may be stored. `count` is 1 or more. */
export function quotient({ digits, exponent }: Decimal, count: number): Rounded {
  const divisor = BigInt(count);
  const shift = Math.max(0, quotientDigits + String(divisor).length - String(digits).length);
  const scaled = digits * 10n ** BigInt(shift);
  const whole = scaled / divisor;
  // What is cut off decides only a tie: one more digit stands for it.
  const rest = scaled % divisor === 0n ? 0n : digits < 0n ? -1n : 1n;
  return rounded(decimalOfInteger(whole * 10n + rest, exponent - shift - 1));
}

function roundedTo({ digits, exponent }: Decimal, most: number): Decimal {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits);
  const cut = text.length - most;
  if (cut <= 0) return { digits, exponent };
  const unit = 10n ** BigInt(cut);
  const all = BigInt(text);
  const rest = all % unit;
  let kept = all / unit;
  const isUp = 2n * rest > unit || (2n * rest === unit && kept % 2n === 1n);
  if (isUp) kept++;
  return decimal(sign, String(kept), exponent + cut);
}
