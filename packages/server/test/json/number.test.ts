import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addNumbers, compareNumbers, numberProblem } from '../../src/json/number.js';
import { JsonNumber } from '../../src/json/value.js';
import { numberText } from '../support/arbitrary-json.js';

const number = (text: string) => new JsonNumber(text);

/** An obviously correct number: a fraction of two big integers. */
function fractionOf(text: string): { over: bigint; under: bigint } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = BigInt(exponent) - BigInt(fraction.length);
  const over = BigInt(`${whole}${fraction}`.replace('-', '')) * (text.startsWith('-') ? -1n : 1n);
  return power >= 0n ? { over: over * 10n ** power, under: 1n } : { over, under: 10n ** -power };
}

describe('numbers', () => {
  test('integers of 16 significant digits and decimals of 17 obey the rule, however they are written', () => {
    for (const text of [
      '0',
      '-0',
      '1.0',
      '9007199254740993',
      '9999999999999999',
      '-9999999999999999',
      '0.1234567890123456',
      '1234567890.123456',
      '100000000000000000000',
      '0.00000000000000000001',
      '1e308',
      '5e-324',
      '0e999999',
      '1.797693134862315e308',
      '1000000000000000.0',
      '0.30000000000000004',
      '-0.12345678901234567',
      '1.7976931348623157e308',
      '2.2250738585072014e-308',
      '1.2345678901234568e+16',
      '12345678901234567e0',
      '12345678901234567.0',
      '1.0000000000000001',
      `0.${'0'.repeat(323)}5`,
      `1${'0'.repeat(308)}`,
      `1.${'0'.repeat(998)}`,
    ]) {
      assert.equal(numberProblem(text), undefined, text);
    }
  });

  test('more digits, more characters, or a magnitude that a float cannot hold, break it', () => {
    for (const text of [
      '12345678901234567',
      '-10000000000000001',
      '123456789012345670',
      '0.123456789012345678',
      '1.00000000000000001',
      '123456789012345678e-5',
      '1.7976931348623159e308',
      '1e309',
      `1${'0'.repeat(309)}`,
      `0.${'0'.repeat(330)}1`,
      `1.${'0'.repeat(999)}`,
      '-1e400',
      '1e-400',
    ]) {
      assert.notEqual(numberProblem(text), undefined, text);
    }
    assert.match(numberProblem('12345678901234567') ?? '', /17 significant digits, at most 16/);
    assert.match(numberProblem('0.123456789012345678') ?? '', /18 significant digits, at most 17/);
  });

  test('every double obeys the rule as every language prints it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        const text = JSON.stringify(double);
        // JavaScript alone prints large integers without an exponent, up to 21 digits.
        fc.pre(!/^-?\d{17,}$/.test(text));
        assert.equal(numberProblem(text), undefined, text);
      }),
      { numRuns: 5000 },
    );
  });

  test('comparison is that of exact fractions', () => {
    fc.assert(
      fc.property(numberText, numberText, (a, b) => {
        const x = fractionOf(a);
        const y = fractionOf(b);
        const difference = x.over * y.under - y.over * x.under;
        assert.equal(
          Math.sign(compareNumbers(number(a), number(b))),
          difference === 0n ? 0 : difference < 0n ? -1 : 1,
        );
      }),
      { numRuns: 3000 },
    );
  });

  test('comparison is that of exact fractions where one float stands for both', () => {
    const tail = fc.string({ unit: fc.constantFrom('0', '1', '9'), minLength: 1, maxLength: 3 });
    const mantissa = fc.constantFrom(
      '1.000000000000000',
      '9999999999999999.',
      '0.000000000000000',
      '-10.0000000000000',
    );
    const exponent = fc.constantFrom('', 'e0', 'E+2', 'e-1', 'e20');
    fc.assert(
      fc.property(mantissa, tail, tail, exponent, (begin, one, other, end) => {
        const [a, b] = [`${begin}${one}${end}`, `${begin}${other}${end}`];
        const x = fractionOf(a);
        const y = fractionOf(b);
        const difference = x.over * y.under - y.over * x.under;
        const expected = difference === 0n ? 0 : difference < 0n ? -1 : 1;
        assert.equal(Math.sign(compareNumbers(number(a), number(b))), expected, `${a} ${b}`);
      }),
      { numRuns: 3000 },
    );
  });

  test('neighbours that one float stands for are told apart', () => {
    assert.equal(compareNumbers(number('9007199254740993'), number('9007199254740992')), 1);
    assert.equal(compareNumbers(number('-9007199254740993'), number('-9007199254740992')), -1);
    assert.equal(compareNumbers(number('1.0'), number('1')), 0);
    assert.equal(compareNumbers(number('-0'), number('0')), 0);
    assert.equal(compareNumbers(number('1e2'), number('100')), 0);
    assert.equal(compareNumbers(number('0.30000000000000004'), number('0.30000000000000003')), 1);
    assert.equal(compareNumbers(number('5e-324'), number('6e-324')), -1);
  });

  test('a sum is exact, or there is none', () => {
    fc.assert(
      fc.property(numberText, numberText, (a, b) => {
        const sum = addNumbers(number(a), number(b));
        const x = fractionOf(a);
        const y = fractionOf(b);
        const over = x.over * y.under + y.over * x.under;
        const under = x.under * y.under;
        if (sum !== undefined) {
          const found = fractionOf(sum.text);
          assert.equal(found.over * under, over * found.under, `${a} + ${b} = ${sum.text}`);
          assert.equal(numberProblem(sum.text), undefined);
          JSON.parse(sum.text);
        } else {
          assert.notEqual(digitsOf(over, under), 0);
          const isInteger = over % under === 0n;
          const isPlain = isInteger && over / under < 10n ** 21n && over / under > -(10n ** 21n);
          assert.ok(
            digitsOf(over, under) > (isPlain ? 16 : 17) ||
              over / under > 10n ** 308n ||
              over / under < -(10n ** 308n),
          );
        }
      }),
      { numRuns: 3000 },
    );
  });

  /** The significant digits of a fraction whose lower number is a power of ten. */
  function digitsOf(over: bigint, under: bigint): number {
    const text = String(over < 0n ? -over : over);
    assert.match(String(under), /^10*$/);
    return text.replace(/0+$/, '').length;
  }

  test('sums are written as JavaScript would', () => {
    const sums: [string, string, string | undefined][] = [
      ['0.1', '0.2', '0.3'],
      ['9007199254740992', '1', '9007199254740993'],
      ['9999999999999999', '1', '10000000000000000'],
      ['9999999999999998', '0.1', '9999999999999998.1'],
      ['9999999999999998', '0.01', undefined],
      ['0.1', '0.20000000000000004', '0.30000000000000004'],
      ['0.30000000000000004', '1', undefined],
      ['9999999999999999', '2', undefined],
      ['1.2345678901234568e+16', '1', undefined],
      ['1.2345678901234568e+21', '0', '1.2345678901234568e+21'],
      ['5', '-5', '0'],
      ['1.50', '1.5', '3'],
      ['-0', '0', '0'],
      ['1e20', '0', '100000000000000000000'],
      ['1e21', '0', '1e+21'],
      ['1e-7', '0', '1e-7'],
      ['1e-6', '0', '0.000001'],
      ['1.25e-9', '0', '1.25e-9'],
      ['1e308', '1', undefined],
      ['1e-308', '1', undefined],
      ['9e307', '9e307', undefined],
      ['12', '-15.5', '-3.5'],
      [`0.${'0'.repeat(300)}1`, `1${'0'.repeat(5000)}e-5301`, '2e-301'],
    ];
    for (const [a, b, expected] of sums)
      assert.equal(addNumbers(number(a), number(b))?.text, expected, `${a} + ${b}`);
  });
});
