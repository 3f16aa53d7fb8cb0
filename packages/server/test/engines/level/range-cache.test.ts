import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRangeCache } from '../../../src/engines/level/range-cache.js';

const rangeOf = (space: string, from: string) => ({ gte: `${space}\0${from}`, lt: `${space}\0z` });
const keysFrom = (space: string, count: number) => Array.from({ length: count }, (_, n) => `${space}\0k${n}`);

describe('the cache of the first keys of ranges', () => {
  test('keeps few ranges of a space: each write is compared with all of them', () => {
    const cache = createRangeCache();
    for (let n = 0; n < 100; n++) cache.add(rangeOf('s', `${n}`), 1, { keys: ['s\0k'], isAll: false }, 0);
    const kept = Array.from({ length: 100 }, (_, n) => cache.get(rangeOf('s', `${n}`), 1, 0) !== undefined);
    assert.equal(kept.filter(Boolean).length, 16);
    assert.equal(kept.at(-1), true);
  });

  test('keeps few characters in all, however long keys are, and no range of many keys', () => {
    for (const length of [8, 8000]) {
      const cache = createRangeCache();
      const keys = (space: string) => keysFrom(space, 100).map((key) => key.padEnd(length, 'x'));
      const add = (n: number) =>
        cache.add(rangeOf(`s${n}`, 'a'), 100, { keys: keys(`s${n}`), isAll: true }, 0);
      for (let n = 0; n < 6000; n++) add(n);
      const kept = Array.from({ length: 6000 }, (_, n) => cache.get(rangeOf(`s${n}`, 'a'), 100, 0));
      const characters = kept.flatMap((first) => first?.keys ?? []).reduce((sum, key) => sum + key.length, 0);
      assert.ok(characters > 2_000_000 && characters <= 4 * 1024 * 1024, `${characters} characters`);
      assert.notEqual(kept.at(-1), undefined);
      cache.add(rangeOf('long', 'a'), 256, { keys: keysFrom('long', 129), isAll: false }, 0);
      assert.equal(cache.get(rangeOf('long', 'a'), 256, 0), undefined);
    }
  });

  test('forgets what a write changes, and nothing else', () => {
    const cache = createRangeCache();
    const kept = () => ['s', 't'].map((space) => cache.get(rangeOf(space, 'k'), 2, 0) !== undefined);
    for (const space of ['s', 't'])
      cache.add(rangeOf(space, 'k'), 2, { keys: [`${space}\0k1`, `${space}\0k3`], isAll: false }, 0);
    // Before the range, after its cached part, and in another space.
    cache.forget([{ key: 's\0a' }, { key: 's\0k4' }, { key: 'u\0k2' }]);
    assert.deepEqual(kept(), [true, true]);
    cache.forget([{ key: 's\0k2' }]);
    assert.deepEqual(kept(), [false, true]);
  });
});
