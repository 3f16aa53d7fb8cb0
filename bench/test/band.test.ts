import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bandOfMedian } from '../src/costs/band.js';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('the band of a median leaves out as many rounds on each side as the table of the sign test says', () => {
  // Of 9 coins, fewer than 2 show heads with a chance of 0.020, fewer than 3 with 0.090; of 15, 4 (0.018); of 40, 14.
  for (const [rounds, left] of [
    [6, 1],
    [9, 2],
    [15, 4],
    [40, 14],
  ] as const) {
    const { from, to } = bandOfMedian(upTo(rounds).toReversed());
    assert.deepEqual({ rounds, from, to }, { rounds, from: left, to: rounds + 1 - left });
  }
});

test('a band of few rounds has all of them', () => {
  assert.deepEqual(bandOfMedian([3, 1, 2]), { median: 2, from: 1, to: 3 });
  assert.deepEqual(bandOfMedian([7]), { median: 7, from: 7, to: 7 });
});
