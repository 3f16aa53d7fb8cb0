import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyFor, scrolled, scrollTopOf } from '../src/grid/scroll-space.js';
import { rowsToDraw } from '../src/grid/window.js';

const rowHeight = 32;
const viewHeight = 800;

test('a body that is too high for a browser is lower, and its end is still reached', () => {
  assert.deepEqual(bodyFor(rowHeight * 1000, viewHeight), { height: 32_000, scale: 1 });
  const height = rowHeight * 1_000_000;
  const body = bodyFor(height, viewHeight);
  assert.ok(body.height < 17_800_000);
  const atEnd = scrolled({ top: 0, scrollTop: 0 }, body.height - viewHeight, body, { height, viewHeight });
  assert.ok(Math.abs(atEnd.top - (height - viewHeight)) < 1);
  assert.ok(Math.abs(scrollTopOf(atEnd.top, body) - atEnd.scrollTop) < 1);
});

test('the wheel moves the content by as much as the element, however high the content is', () => {
  const height = rowHeight * 10_000_000;
  const body = bodyFor(height, viewHeight);
  fc.assert(
    fc.property(
      fc.integer({ min: 1e6, max: 1e7 }),
      fc.integer({ min: -1600, max: 1600 }),
      (scrollTop, by) => {
        const from = { top: scrollTop * body.scale, scrollTop };
        const to = scrolled(from, scrollTop + by, body, { height, viewHeight });
        assert.ok(Math.abs(to.top - from.top - by) < 1e-3);
      },
    ),
  );
});

test('the rows in view are drawn after each step of scrolling, and rows that are drawn stay until they are too few', () => {
  const steps = fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 2000 }), (moves, height) => {
      const count = 10_000;
      let drawn = { from: 0, to: 0 };
      let top = 0;
      for (const move of moves) {
        const next = Math.max(0, Math.min(count * rowHeight - height, top + move));
        drawn = rowsToDraw(drawn, { top: next, height, by: next - top }, rowHeight, count);
        top = next;
        assert.ok(drawn.from * rowHeight <= top);
        assert.ok(drawn.to * rowHeight >= Math.min(top + height, count * rowHeight));
        assert.ok(drawn.to - drawn.from <= height / rowHeight + 90);
      }
      const settled = rowsToDraw(drawn, { top, height, by: 0 }, rowHeight, count);
      assert.deepEqual(rowsToDraw(settled, { top: top + 1, height, by: 1 }, rowHeight, count), settled);
    }),
  );
});

test('fewer rows than were drawn before are never too many', () => {
  const drawn = rowsToDraw({ from: 0, to: 40 }, { top: 0, height: 800, by: 0 }, rowHeight, 3);
  assert.deepEqual(drawn, { from: 0, to: 3 });
});
