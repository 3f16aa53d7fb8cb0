/** A number as `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The exact sum of two numbers as JSON writes them, without zeros at its end, as the service writes it. */
export function addDecimals(a: string, b: string): string {
  const [left, right] = [read(a), read(b)];
  const exponent = Math.min(left.exponent, right.exponent);
  const sum = scaled(left, exponent) + scaled(right, exponent);
  return write({ digits: sum, exponent });
}

/** Digits that a quotient has after those of the number that is divided. */
const moreDigits = 6;

/** A number divided by a whole one above 0, rounded to six digits more than it has, without zeros at its end. */
export function divideDecimal(text: string, by: number): string {
  const number = read(text);
  const exponent = Math.min(number.exponent, 0) - moreDigits;
  const digits = scaled(number, exponent);
  const [half, divisor] = [digits < 0n ? -BigInt(by) : BigInt(by), BigInt(by) * 2n];
  return write({ digits: (digits * 2n + half) / divisor, exponent });
}

function read(text: string): Decimal {
  const [mantissa = '0', power = '0'] = text.toLowerCase().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

function write({ digits, exponent }: Decimal): string {
  if (exponent >= 0) return String(digits * 10n ** BigInt(exponent));
  const sign = digits < 0n ? '-' : '';
  const all = String(digits < 0n ? -digits : digits).padStart(1 - exponent, '0');
  const fraction = all.slice(exponent).replace(/0+$/, '');
  return `${sign}${all.slice(0, exponent)}${fraction === '' ? '' : `.${fraction}`}`;
}
