import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decimalOf } from '../../src/json/decimal.js';
import { DecimalSum, quotient, rounded } from '../../src/json/decimal-sum.js';
import { numberProblem } from '../../src/json/number.js';
import { numberText } from '../support/arbitrary-json.js';

const scale = 700n;

/** A number as an integer of so many digits behind the point: more than any number here has. */
function scaled(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** (scale + BigInt(exponent) - BigInt(fraction.length));
}

const sumOf = (texts: readonly string[]) => {
  const sum = new DecimalSum();
  for (const text of texts) sum.add(text);
  return sum;
};
const roundedSum = (...texts: string[]) => rounded(sumOf(texts).total);
const exactly = (text: string) => ({ text, isExact: true });
const about = (text: string | null) => ({ text, isExact: false });

describe('decimal sums', () => {
  test('are exact however many digits they have, for short and long numbers in any order', () => {
    const short = fc
      .integer({ min: -999_999, max: 999_999 })
      .chain((digits) =>
        fc.integer({ min: 0, max: 9 }).map((places) => (digits / 10 ** places).toFixed(places)),
      );
    const long = numberText.filter(
      (text) => numberProblem(text) === undefined && Math.abs(Number(text)) < 1e250,
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(short, short, long), { maxLength: 60 }), (texts) => {
        const { digits, exponent } = sumOf(texts).total;
        const expected = texts.reduce((total, text) => total + scaled(text), 0n);
        assert.equal(digits * 10n ** (scale + BigInt(exponent)), expected);
      }),
    );
  });

  test('of integers go beyond what a float has', () => {
    const many = Array<string>(20_000).fill('999999999999999');
    assert.equal(String(sumOf([...many, '1']).total.digits), '19999999999999980001');
    assert.deepEqual(sumOf([...many, ...many.map((text) => `-${text}`)]).total.digits, 0n);
  });

  test('are written as numbers that may be stored, rounded half to even if they have more digits', () => {
    assert.deepEqual(roundedSum(), exactly('0'));
    assert.deepEqual(roundedSum('0.1', '0.2'), exactly('0.3'));
    assert.deepEqual(roundedSum('1e-300', '1e-301'), exactly('1.1e-300'));
    assert.deepEqual(roundedSum('9999999999999999', '1'), exactly('10000000000000000'));
    assert.deepEqual(roundedSum('9999999999999999', '2'), about('10000000000000000'));
    assert.deepEqual(roundedSum('9999999999999999', '6'), about('10000000000000000'));
    assert.deepEqual(roundedSum('9999999999999999', '16'), about('10000000000000020'));
    assert.deepEqual(roundedSum('-9999999999999999', '-16'), about('-10000000000000020'));
    assert.deepEqual(roundedSum('1', '1e-20'), about('1'));
    assert.deepEqual(roundedSum('1e22', '1'), about('1e+22'));
    assert.deepEqual(roundedSum('1.7976931348623157e308', '1e308'), about(null));
    assert.deepEqual(roundedSum('1e308', '-1e308', '7'), exactly('7'));
    assert.deepEqual(roundedSum('4.9406564584124654e-324', '-4.9406564584124653e-324'), about('0'));
  });

  test('have an average of as many digits as a number may have', () => {
    const average = (...texts: string[]) => quotient(sumOf(texts).total, texts.length).text;
    assert.equal(average('1', '2'), '1.5');
    assert.equal(average('1', '0', '0'), '0.33333333333333333');
    assert.equal(average('2', '0', '0'), '0.66666666666666667');
    assert.equal(average('-2', '0', '0'), '-0.66666666666666667');
    assert.equal(average('20000000000000001', '0'), '10000000000000000');
    assert.equal(average('0', '0'), '0');
    assert.equal(average('1e308', '1e308'), '1e+308');
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const { digits, exponent } = decimalOf(average(...values.map(String)) as string);
        const found = Number(digits) * 10 ** exponent;
        const expected = Number(values.reduce((sum, one) => sum + BigInt(one), 0n)) / values.length;
        assert.ok(Math.abs(found - expected) <= Math.abs(expected) * 1e-12, `${found} for ${expected}`);
      }),
    );
  });
});
