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

  test('keeps few keys in all, and no long range', () => {
    const cache = createRangeCache();
    for (let n = 0; n < 1000; n++)
      cache.add(rangeOf(`s${n}`, 'a'), 100, { keys: keysFrom(`s${n}`, 100), isAll: true }, 0);
    const kept = Array.from({ length: 1000 }, (_, n) => cache.get(rangeOf(`s${n}`, 'a'), 100, 0));
    const keys = kept.reduce((sum, first) => sum + (first?.keys.length ?? 0), 0);
    assert.ok(keys > 20_000 && keys <= 30_000, `${keys} keys`);
    assert.notEqual(kept.at(-1), undefined);
    cache.add(rangeOf('long', 'a'), 256, { keys: keysFrom('long', 129), isAll: false }, 0);
    assert.equal(cache.get(rangeOf('long', 'a'), 256, 0), undefined);
  });

  test('forgets what a write changes, and nothing else', () => {
    const cache = createRangeCache();
    const kept = () => ['s', 't'].map((space) => cache.get(rangeOf(space, 'k'), 2, 0) !== undefined);
    for (const space of ['s', 't'])
      cache.add(rangeOf(space, 'k'), 2, { keys: [`${space}\0k1`, `${space}\0k3`], isAll: false }, 0);
    // Before the range, behind its cached part, and in another space.
    cache.forget([{ key: 's\0a' }, { key: 's\0k4' }, { key: 'u\0k2' }]);
    assert.deepEqual(kept(), [true, true]);
    cache.forget([{ key: 's\0k2' }]);
    assert.deepEqual(kept(), [false, true]);
  });
});
