import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareUtf8, endOfPrefix } from '../../../src/lib/text/utf8-order.js';
import { anyCharacter } from '../../support/any-character.js';

test('strings are ordered by their UTF-8 bytes', () => {
  const unit = fc.constantFrom('a', 'b', '\u00e9', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}');
  const text = fc.oneof(fc.string({ unit, maxLength: 4 }), fc.string({ unit: anyCharacter, maxLength: 6 }));
  fc.assert(
    fc.property(text, text, (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(compareUtf8(a, b)), expected);
    }),
    { numRuns: 2000 },
  );
});

test('the end of a prefix is the first string after all that begin with it', () => {
  assert.equal(endOfPrefix(''), undefined);
  assert.equal(endOfPrefix('\u{10ffff}\u{10ffff}'), undefined);
  assert.equal(endOfPrefix('a\u{10ffff}\u{10ffff}'), 'b');
  assert.equal(endOfPrefix('ab'), 'ac');
  assert.equal(endOfPrefix('a\ud7ff'), 'a\ue000');
  assert.equal(endOfPrefix('a\uffff'), 'a\u{10000}');
  assert.equal(endOfPrefix('\u{103ff}'), '\u{10400}');
});

test('a prefix may be as long as a body', () => {
  const long = 'a'.repeat(400_000);
  assert.equal(endOfPrefix(`${long}a`), `${long}b`);
  assert.equal(endOfPrefix('\u{10ffff}'.repeat(200_000)), undefined);
});
