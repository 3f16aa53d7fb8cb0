import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSubstringSearch } from '../../../src/base/query/substring.js';
import { propertyRuns } from '../../support/property-runs.js';

test('a substring is found exactly where the built-in search finds it, whatever the lengths', () => {
  const letters = fc.constantFrom('a', 'b', 'é', '😀');
  const pattern = fc.array(letters, { maxLength: 30 }).map((list) => list.join(''));
  const text = fc.array(fc.oneof(letters, pattern), { maxLength: 40 }).map((list) => list.join(''));
  let found = 0;
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (operand, part, isLong) => {
      // Beyond 100,000 comparisons another search is used.
      const whole = isLong ? `${'aab'.repeat(40_000)}${part}` : part;
      const expected = whole.includes(operand);
      if (expected) found++;
      assert.equal(createSubstringSearch(operand)(whole), expected);
    }),
    { numRuns: propertyRuns(2000) },
  );
  assert.ok(found > 200 && found < 1900, `${found} were found`);
});
