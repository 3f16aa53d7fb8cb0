import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSubstringSearch } from '../../../src/base/query/substring.js';
import { propertyRuns } from '../../support/property-runs.js';

/** With so many comparisons, another search than the built-in one is used. */
const manyComparisons = 100_000;

test('a substring is found exactly where the built-in search finds it, whatever the lengths', () => {
  const letters = fc.oneof({ weight: 8, arbitrary: fc.constantFrom('a', 'b') }, fc.constantFrom('é', '😀'));
  const word = (maxLength: number) => fc.array(letters, { maxLength }).map((list) => list.join(''));
  const repeated = fc
    .tuple(word(4), fc.nat(4), word(3), fc.nat(2), word(3))
    .map(([one, times, two, again, end]) => (one.repeat(times) + two).repeat(again + 1) + end);
  const pattern = fc.oneof(word(30), repeated);
  // A number is for so much of the pattern: searches differ where a text has its beginnings.
  const pieces = fc.array(fc.oneof(letters, fc.nat(30)), { maxLength: 20 });
  const numRuns = propertyRuns(2000);
  let found = 0;
  fc.assert(
    fc.property(pattern, pieces, fc.boolean(), (operand, list, isLong) => {
      const part = list.map((one) => (typeof one === 'string' ? one : operand.slice(0, one))).join('');
      const before = Math.ceil(manyComparisons / Math.max(1, operand.length));
      const whole = isLong ? 'aab'.repeat(before / 3 + 1) + part : part;
      const expected = whole.includes(operand);
      if (expected) found++;
      assert.equal(createSubstringSearch(operand)(whole), expected);
    }),
    { numRuns },
  );
  assert.ok(found > numRuns / 5 && found < (numRuns * 4) / 5, `${found} of ${numRuns} were found`);
});

test('each pattern of ten letters is found after each of its beginnings', () => {
  const length = 10;
  const before = 'c'.repeat(manyComparisons / length);
  for (let bits = 0; bits < 2 ** length; bits++) {
    const pattern = bits.toString(2).padStart(length, '0');
    const isFound = createSubstringSearch(pattern);
    for (let begin = 1; begin < length; begin++)
      assert.ok(isFound(before + pattern.slice(0, begin) + pattern), `${pattern}, ${begin}`);
  }
});
