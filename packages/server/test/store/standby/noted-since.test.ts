import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeLogValue } from '../../../src/engines/change-log.js';
import { createNotedKeys, type NotedKeys } from '../../../src/store/standby/noted-keys.js';
import { notedSince } from '../../../src/store/standby/noted-since.js';
import { memoryStore } from '../../support/copy-fixture.js';

const mib = 1024 * 1024;

const known = (noted: NotedKeys) =>
  Object.fromEntries(
    Array.from(noted.spaces(), ([space, keys]) => [space, keys === 'many' ? keys : keys.size]),
  );

function bytesOf(noted: NotedKeys): number {
  let bytes = 0;
  for (const [, keys] of noted.spaces()) if (keys !== 'many') for (const key of keys) bytes += key.length;
  return bytes;
}

describe('what a standby has yet to apply', () => {
  test('takes 16 MiB at most, however long the keys are, and no space is missing', async (context) => {
    const { items } = await memoryStore(context);
    const expected = new Set<string>();
    for (let row = 0; row < 40; row++) {
      const space = `base/demo/b${row % 20}`;
      expected.add(space);
      const keys = Array.from({ length: 1000 }, (_, n) => `${row}-${n}-`.padEnd(1024, 'k'));
      const value = encodeLogValue({ atSeconds: 0, keys: { [space]: keys } });
      const key = String(row).padStart(20, '0');
      await items.transact('changes/demo', [], () => ({ puts: [{ key, value }], result: undefined }));
    }
    const noted = await notedSince(items, '0'.repeat(20));
    assert.deepEqual(new Set(Object.keys(known(noted))), expected);
    const bytes = bytesOf(noted);
    assert.ok(bytes > 2 * mib && bytes <= 16 * mib, `${bytes}`);
  });

  test('never takes more than it may, and forgets the keys of the largest spaces', () => {
    const noted = createNotedKeys(100_000);
    for (let n = 0; n < 100; n++) noted.add('base/demo/small', [`s${n}`]);
    for (let n = 0; n < 5000; n++) {
      noted.add(`base/demo/large${n % 3}`, [`${n}`.padEnd(200, 'l')]);
      assert.ok(bytesOf(noted) <= 100_000);
    }
    const { 'base/demo/small': small, ...large } = known(noted);
    assert.equal(small, 100);
    assert.deepEqual(Object.values(large), ['many', 'many', 'many']);
    // What was forgotten once stays so: not all of its keys would be there.
    noted.add('base/demo/large0', ['another']);
    assert.equal(noted.of('base/demo/large0'), 'many');
  });

  test('counts a key once, and compares a space of more than 20,000', () => {
    const noted = createNotedKeys();
    const keys = Array.from({ length: 20_000 }, (_, n) => `k${n}`);
    for (let times = 0; times < 20; times++) noted.add('base/demo/b', keys);
    assert.deepEqual(known(noted), { 'base/demo/b': 20_000 });
    noted.add('base/demo/b', ['one more']);
    assert.deepEqual(known(noted), { 'base/demo/b': 'many' });
    assert.deepEqual(noted.of('base/demo/none'), new Set());
  });
});
