import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readJson, writeJson } from '../../src/http/json.js';

describe('JSON with BigInts', () => {
  test('without the option, integers are rounded as JSON.parse rounds them', () => {
    assert.deepEqual(readJson('{"a":9007199254740993}'), { a: 9007199254740992 });
  });

  test('with the option, only integers that a number cannot hold become BigInts', () => {
    const text =
      '{"big":9007199254740993,"small":-9007199254740993,"safe":9007199254740991,"long":1234567890.123456789,' +
      '"e":1e20,"f":1.0,"text":"9007199254740993","quote\\"9007199254740993":["\\\\",9999999999999999]}';
    assert.deepEqual(readJson(text, true), {
      big: 9007199254740993n,
      small: -9007199254740993n,
      safe: 9007199254740991,
      long: 1234567890.1234567,
      e: 1e20,
      f: 1,
      text: '9007199254740993',
      'quote"9007199254740993': ['\\', 9999999999999999n],
    });
  });

  test('BigInts are written as integers, whatever else is in the data', () => {
    assert.equal(
      writeJson({ a: [1n, -9007199254740993n], b: '1', c: null }),
      '{"a":[1,-9007199254740993],"b":"1","c":null}',
    );
    assert.equal(writeJson({ a: 1, b: undefined }), '{"a":1}');
  });

  test('data that JSON cannot hold is refused', () => {
    const round: { self?: unknown } = {};
    round.self = round;
    assert.throws(() => writeJson(round), { code: 'invalid', message: /JSON/ });
  });

  test('a long string is written and read', () => {
    const value = { text: '\\"x'.repeat(400_000), big: 9007199254740993n };
    assert.deepEqual(readJson(writeJson(value), true), value);
  });

  test('data that is written and read again is the same', () => {
    // The option makes an integer a BigInt if and only if a number cannot hold it.
    const big = fc.bigInt().filter((value) => !Number.isSafeInteger(Number(value)));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc
          .double({ noDefaultInfinity: true, noNaN: true })
          .filter((value) => !Object.is(value, -0))
          .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value)),
        fc.maxSafeInteger(),
        big,
        fc.constant(null),
        fc.boolean(),
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => assert.deepEqual(plain(readJson(writeJson(value), true)), plain(value))),
    );
  });
});

/** The value as lists, so that objects with and without a prototype are equal. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([name, member]) => [name, plain(member)]);
}

test('names with escapes are what they are, whatever names were read before', () => {
  const written = [
    '\\',
    '\n',
    'A',
    'a\\',
    'a\n',
    'a\\b',
    'a\bc',
    'n\\n',
    'n\nx',
    '"',
    '\\\\',
    '\n\n',
    '__proto__',
  ];
  for (const bigint of [false, true]) {
    for (const first of written) {
      for (const second of written) {
        for (const name of [first, second]) {
          const text = `{"before":[{"x":"\\\\"},12345678901234567],${JSON.stringify(name)} : 1,"after":2}`;
          const names = Object.keys(readJson(text, bigint) as object);
          assert.deepEqual(names, ['before', name, 'after']);
        }
      }
    }
  }
});
