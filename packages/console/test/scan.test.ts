import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compact, indent, jsonProblem } from '../src/exact/print.js';
import { kindOf, readAttribute, readAttributes, readElements } from '../src/exact/scan.js';
import { startOfString } from '../src/exact/string-start.js';

test('numbers keep their digits, and attributes their order', () => {
  const text = ' { "10" : 0.1000 , "2":12345678901234567890, "e":1E+400,"a":{"b":[1 , -0]} } ';
  assert.deepEqual(readAttributes(text), [
    ['10', '0.1000'],
    ['2', '12345678901234567890'],
    ['e', '1E+400'],
    ['a', '{"b":[1 , -0]}'],
  ]);
  assert.equal(compact(text), '{"10":0.1000,"2":12345678901234567890,"e":1E+400,"a":{"b":[1,-0]}}');
  assert.equal(
    indent(compact(text)),
    '{\n  "10": 0.1000,\n  "2": 12345678901234567890,\n  "e": 1E+400,\n  "a": {\n    "b": [\n      1,\n      -0\n    ]\n  }\n}',
  );
});

test('quotes, brackets and backslashes within strings end nothing', () => {
  const value = String.raw`"a\\\"]}{[\\"`;
  assert.equal(readAttribute(`{"x":${value},"y":[${value},{"z":${value}}]}`, 'x'), value);
  assert.deepEqual(readElements(`[${value}, {"z":${value}} ,[]]`), [value, `{"z":${value}}`, '[]']);
});

test('every JSON value is found whole, whatever white space is around it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, space) => {
      const text = JSON.stringify({ before: [value], value, after: value }, null, space);
      assert.deepEqual(
        readAttributes(text).map(([name, json]) => [name, JSON.parse(json)]),
        Object.entries(JSON.parse(text)),
      );
      assert.equal(compact(text), JSON.stringify(JSON.parse(text)));
      assert.equal(indent(compact(text)), JSON.stringify(JSON.parse(text), null, 2));
    }),
  );
});

test('a kind is told by the beginning of a value, and what is no JSON is told why', () => {
  const kinds = ['"', '{', '[', 'null', 'true', 'false', '-1', '0'].map(kindOf);
  assert.deepEqual(kinds, ['string', 'object', 'list', 'null', 'boolean', 'boolean', 'number', 'number']);
  assert.equal(jsonProblem('{"a":1}'), undefined);
  assert.match(jsonProblem('{"a":}') ?? '', /JSON/);
});

test('the beginning of a long string is the same as that of the whole string, wherever it is cut', () => {
  const part = fc.constantFrom('a', '\\', '"', '\u0001', '\u2028', '🙂', 'é');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 80 }), fc.integer({ min: 1, max: 12 }), (parts, length) => {
      const text = parts.join('');
      const start = startOfString(JSON.stringify(text), length);
      assert.ok(text.startsWith(start));
      assert.ok(start.length >= Math.min(length, text.length) - 1, `${start.length} of ${length}`);
    }),
  );
});
