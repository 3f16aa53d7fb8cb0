import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareNames } from '../src/api/name-order.js';

test('names are in the order of their UTF-8 bytes', () => {
  const unit = fc.constantFrom('a', 'b', '/', 'é', '\ud7ff', '\ue000', '\uffff', '🙂', '\u{10ffff}');
  const name = fc.string({ unit, maxLength: 6 });
  fc.assert(
    fc.property(name, name, (one, other) => {
      const expected = Buffer.compare(Buffer.from(one), Buffer.from(other));
      assert.equal(Math.sign(compareNames(one, other)), expected);
    }),
  );
});
