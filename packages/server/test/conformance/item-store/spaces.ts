import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KeyBounds, maxDueSeconds } from '../../../src/engines/item-store.js';
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
      for (const ahead of [1, 2, 3, 8, 1000]) {
        assert.deepEqual(
          await spaces('base/demo/', name, ahead),
          names.slice(index + 1),
          `${name}, ${ahead}`,
        );
      }
    }
    assert.deepEqual(await spaces('base/demo/', undefined, 3), names);
    assert.deepEqual(await spaces('', 'base/demo/\uffff', 2), ['base/demo/😀', 'base/demo0', 'drive/demo/a']);
    assert.deepEqual(await spaces('base/demo/', 'base/demo/aa'), names.slice(2));
    assert.deepEqual(await spaces('base/demo/', 'base/demo/'), names);
    assert.deepEqual(await spaces('base/demo/', 'base/a'), names, 'before the prefix');
    assert.deepEqual(await spaces('base/demo/', 'base/demo0'), [], 'behind the prefix');
    assert.deepEqual(await spaces('base/demo/a', 'base/demo/a'), names.slice(1, 3));
    assert.deepEqual(await spaces('base/demo/a', 'base/demo/b'), []);
    assert.deepEqual(await spaces('base/demo/a', 'base/demo/b', 5), []);
    assert.deepEqual(await spaces('base/nobody/', undefined, 5), []);
  });

  test('the first rows of many spaces are read at once, without their values', async () => {
    await put('a', 'x'.repeat(100_000), { space: 'base/demo/one' });
    await put('b', '', { space: 'base/demo/one', dueSeconds: 7 });
    await put('b', '', { space: 'base/demo/é', dueSeconds: maxDueSeconds });
    await put('c', '', { space: 'base/demo/é' });
    await put('\0', '', { space: 'base/demo/header' });
    const asked = [
      'base/demo/é',
      'base/demo/none',
      'base/demo/header',
      'base/demo/one',
      'base/demo/on',
      'zz',
    ];
    const first = (range: KeyBounds) => opened.store.firstRows(asked, range);
    const none = undefined;
    const inE = { key: 'b', dueSeconds: maxDueSeconds };
    assert.deepEqual(await first({}), [inE, none, { key: '\0' }, { key: 'a' }, none, none]);
    assert.deepEqual(await first({ gte: 'b' }), [inE, none, none, { key: 'b', dueSeconds: 7 }, none, none]);
    assert.deepEqual(await first({ gt: 'b' }), [{ key: 'c' }, none, none, none, none, none]);
    assert.deepEqual(await first({ prefix: 'b' }), [
      inE,
      none,
      none,
      { key: 'b', dueSeconds: 7 },
      none,
      none,
    ]);
    assert.deepEqual(await first({ lt: 'b', gt: '\0' }), [none, none, none, { key: 'a' }, none, none]);
    assert.deepEqual(await first({ lte: 'b', gt: 'a' }), [
      inE,
      none,
      none,
      { key: 'b', dueSeconds: 7 },
      none,
      none,
    ]);
    assert.deepEqual(await opened.store.firstRows([], {}), []);
  });

  test('spaces and first rows are found whatever their number', async () => {
    const names = Array.from({ length: 1200 }, (_, n) => `base/demo/${String(n).padStart(5, '0')}`);
    const fill = (name: string) => put('k', '', { space: name });
    for (let at = 0; at < names.length; at += 100) await Promise.all(names.slice(at, at + 100).map(fill));
    for (const ahead of [1, 7, 600, 5000]) assert.deepEqual(await spaces('base/', undefined, ahead), names);
    const found = await opened.store.firstRows([...names, 'base/demo/none'], {});
    assert.deepEqual(found, [...names.map(() => ({ key: 'k' })), undefined]);
  });
}
