import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyFor, roundedTop, rowsInView } from '../src/grid/window.js';

test('a body that is too high for a browser is lower, and its end is still reached', () => {
  assert.deepEqual(bodyFor(32 * 1000, 800), { height: 32_000, scale: 1 });
  const content = 32 * 1_000_000;
  const { height, scale } = bodyFor(content, 800);
  assert.ok(height < 17_800_000);
  const lastTop = (height - 800) * scale;
  assert.ok(Math.abs(lastTop - (content - 800)) < 1);
  assert.equal(rowsInView(lastTop, 800, 32, 1_000_000).to, 1_000_000);
});

test('the rows in view are drawn at every place, although the place is rounded', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.integer({ min: 1, max: 2000 }), (scrollTop, height) => {
      const { from, to } = rowsInView(roundedTop(scrollTop, 32), height, 32, 10_000);
      assert.ok(from * 32 <= scrollTop);
      assert.ok(to * 32 >= Math.min(scrollTop + height, 10_000 * 32));
    }),
  );
});
