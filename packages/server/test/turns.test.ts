import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from '../src/turns.js';

test('so many at a time, in the order of their coming; one that fails makes room too', async () => {
  const turns = createTurns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = Array.from({ length: 6 }, (_, n) =>
    turns(async () => {
      begun.push(n);
      await new Promise<void>((resolve) => {
        ends[n] = resolve;
      });
      if (n === 0) throw new Error('failed');
      return n;
    }),
  );
  const settled = Promise.allSettled(work);
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  for (let n = 0; n < 6; n++) {
    await tick();
    assert.deepEqual(
      begun,
      Array.from({ length: Math.min(n + 2, 6) }, (_, index) => index),
    );
    ends[n]?.();
  }
  assert.deepEqual(
    (await settled).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    ['failed', 1, 2, 3, 4, 5],
  );
});
