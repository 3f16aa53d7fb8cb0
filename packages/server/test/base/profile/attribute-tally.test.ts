import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AttributeTally } from '../../../src/base/profile/attribute-tally.js';
import { anyCharacter } from '../../support/any-character.js';
import { propertyRuns } from '../../support/property-runs.js';

interface Described {
  readonly strings?: { readonly min: string; readonly max: string };
  readonly distinct?: number;
  readonly values: readonly { readonly value: unknown; readonly items: number }[];
}

/** Spellings of a number are one value; each list is one number. */
const spellings = [
  ['0', '-0', '0.0', '0e9'],
  ['1', '1.0', '10e-1'],
  ['-3', '-3.00'],
  ['1e22', '1E+22'],
];
const byteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

test('values of an attribute are counted as conditions compare them, and strings have the order of their bytes', () => {
  const characters = fc.oneof(
    fc.constantFrom('a', ' ', '!', '"', '\\', '\u0001', '\uffee', '😀'),
    anyCharacter,
  );
  // Their hundredth place may be within a character of two.
  const longText = fc
    .tuple(fc.integer({ min: 97, max: 101 }), fc.string({ unit: characters, minLength: 1, maxLength: 3 }))
    .map(([length, end]) => 'x'.repeat(length) + end);
  const text = fc.oneof(fc.string({ unit: characters, maxLength: 3 }), longText);
  const number = fc.constantFrom(...spellings.flat());
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.array(number, { maxLength: 12 }), (texts, numbers) => {
      const tally = new AttributeTally('a');
      for (const one of texts) tally.add('string', JSON.stringify(one));
      for (const one of numbers) tally.add('number', one);
      const { strings, distinct, values } = JSON.parse(tally.json()) as Described;

      const sorted = texts.toSorted(byteOrder);
      const [least, greatest] = [sorted.at(0), sorted.at(-1)];
      assert.equal(strings === undefined, least === undefined);
      for (const [given, whole] of [
        [strings?.min, least],
        [strings?.max, greatest],
      ]) {
        assert.ok((whole ?? '').startsWith(given ?? ''), `${given} begins ${whole}`);
        assert.ok((given ?? '').length >= Math.min(100, (whole ?? '').length));
      }

      const counts = spellings.map((one) => numbers.filter((spelt) => one.includes(spelt)).length);
      const expected = counts.filter((count) => count > 0).length + new Set(texts).size;
      if (distinct !== undefined) assert.equal(distinct, expected);
      for (const { value, items } of values) {
        if (typeof value !== 'number') continue;
        assert.equal(items, counts[spellings.findIndex(([first]) => Number(first) === value)]);
      }
    }),
    { numRuns: propertyRuns(500) },
  );
});
