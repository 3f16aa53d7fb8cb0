import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentCacheBytes, createContentCache } from '../../../src/drive/contents/content-cache.js';

/** Room for three of 1,000 bytes, with what an entry costs besides. */
const threeEntries = 3 * 1300;
const content = (text: string) => Buffer.alloc(1000, text);

describe('the cache of small contents', () => {
  test('gives what was added', () => {
    const contents = createContentCache(threeEntries);
    contents.add('a', content('1'));
    assert.deepEqual(contents.get('a'), content('1'));
    assert.equal(contents.get('b'), undefined);
  });

  test('drops the least recently used entry first', () => {
    const contents = createContentCache(threeEntries);
    for (const id of ['a', 'b', 'c']) contents.add(id, content(id));
    contents.get('a');
    contents.add('d', content('d'));
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((id) => contents.get(id) !== undefined),
      [true, false, true, true],
    );
  });

  test('counts an entry once, and never exceeds its bytes', () => {
    const contents = createContentCache(threeEntries);
    for (let n = 0; n < 10; n++) contents.add('a', content('a'));
    for (const id of ['b', 'c']) contents.add(id, content(id));
    assert.ok(contents.get('a') !== undefined);
    contents.add('large', Buffer.alloc(3 * 1000));
    assert.deepEqual(
      ['a', 'b', 'c', 'large'].map((id) => contents.get(id) !== undefined),
      [false, false, false, true],
    );
    contents.add('too large', Buffer.alloc(4000));
    assert.equal(contents.get('too large'), undefined);
  });
});

test('a large machine keeps more small files in memory', () => {
  const [mib, gib] = [1024 * 1024, 1024 * 1024 * 1024];
  const sizes = [gib / 4, gib, 6 * gib, 10 * gib, 20 * gib, 64 * gib].map(contentCacheBytes);
  assert.deepEqual(sizes, [12 * mib, 48 * mib, 48 * mib, 80 * mib, 160 * mib, 160 * mib]);
});
