import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenedStore } from './opened-store.js';

/** Spaces are apart, and can be listed. */
export function spaceTests(opened: OpenedStore): void {
  const { put, get, keys, spaces } = opened;

  test('spaces do not touch each other, also when one is a prefix of another', async () => {
    for (const name of [
      'base/demo/a',
      'base/demo/ab',
      'base/demo/a/b',
      'base/demo/a!',
      'drive/demo/a',
      'base/demo/é',
    ]) {
      await put('k', name, { space: name });
      await put('zz', name, { space: name });
    }
    assert.equal(await get('k', 'base/demo/a'), 'base/demo/a');
    assert.deepEqual(await keys(undefined, 'base/demo/a'), ['k', 'zz']);
    assert.deepEqual(await keys({ gte: 'k', reverse: true }, 'base/demo/ab'), ['zz', 'k']);
    assert.deepEqual(await keys(undefined, 'base/demo/'), []);
    assert.equal(await get('b\u0001', 'base/demo/a'), undefined);
  });

  test('spaces are listed by prefix, once each, in order', async () => {
    const names = ['base/demo/a', 'base/demo/a!', 'base/demo/b', 'base/other/a', 'drive/demo/a', 'keys'];
    for (const name of [...names].reverse()) {
      await put('1', '', { space: name, dueSeconds: 5 });
      await put('2', '', { space: name });
    }
    assert.deepEqual(await spaces(''), names);
    assert.deepEqual(await spaces('base/'), names.slice(0, 4));
    assert.deepEqual(await spaces('base/demo/'), names.slice(0, 3));
    assert.deepEqual(await spaces('base/demo/a'), ['base/demo/a', 'base/demo/a!']);
    assert.deepEqual(await spaces('nothing'), []);
  });

  test('spaces are listed from behind a given name on, whether it exists or not', async () => {
    const names = ['a', 'a!', 'ab', 'b', 'b/c', 'é', '\uffff', '😀'].map((name) => `base/demo/${name}`);
    for (const name of [...names, 'base/demo', 'base/demo0', 'drive/demo/a'])
      await put('k', '', { space: name });
    for (const [index, name] of names.entries()) {
      assert.deepEqual(await spaces('base/demo/', name), names.slice(index + 1), name);
    }
    assert.deepEqual(await spaces('base/demo/', 'base/demo/aa'), names.slice(2));
    assert.deepEqual(await spaces('base/demo/', 'base/demo/'), names);
    assert.deepEqual(await spaces('base/demo/', 'base/a'), names, 'before the prefix');
    assert.deepEqual(await spaces('base/demo/', 'base/demo0'), [], 'behind the prefix');
    assert.deepEqual(await spaces('base/demo/a', 'base/demo/a'), names.slice(1, 3));
    assert.deepEqual(await spaces('base/demo/a', 'base/demo/b'), []);
  });
}
