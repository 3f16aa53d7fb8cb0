import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoTime } from '../../../src/lib/text/iso-time.js';

test('a time is written as a Date writes it', () => {
  const dayMs = 86_400_000;
  const times = fc.oneof(
    fc.integer({ min: -1, max: 3 * dayMs }),
    fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 1) }),
    fc.integer({ min: Date.UTC(9999, 11, 30), max: Date.UTC(10_000, 0, 2) }),
    fc.maxSafeInteger().filter((ms) => Math.abs(ms) < 8.64e15),
    fc.double({ min: 0, max: 4e12, noNaN: true }),
  );
  fc.assert(fc.property(times, (ms) => assert.equal(isoTime(ms), new Date(ms).toISOString())));
  assert.throws(() => isoTime(Number.NaN), RangeError);
});
