import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxRowKeyBytes } from '../../../src/engines/item-store.js';
import { type OpenedStore, space } from './opened-store.js';

/** What a row is: its bytes, its key, and the order of keys. */
export function rowTests(opened: OpenedStore): void {
  const { put, remove, get, scan, keys, spaces } = opened;

  test('a fresh store is empty', async () => {
    assert.equal(await get('a'), undefined);
    assert.deepEqual(await keys(), []);
    assert.deepEqual(await spaces(''), []);
    assert.deepEqual(await opened.store.due(2 ** 40, 10), []);
  });

  test('gives back the bytes it was given, whatever they are', async () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    for (const value of [every, Buffer.alloc(0), Buffer.of(0), Buffer.of(1), Buffer.alloc(1_000_000, 7)]) {
      await opened.store.transact(space, [], () => ({ puts: [{ key: 'bytes', value }], result: null }));
      const found = await opened.store.get(space, 'bytes');
      assert.ok(found && Buffer.compare(found, value) === 0);
      assert.deepEqual((await scan())[0]?.value.length, value.length);
    }
  });

  test('a later put replaces a row, a delete removes it, and to delete a missing row is no error', async () => {
    await put('a', '1');
    await put('a', '2');
    assert.equal(await get('a'), '2');
    await remove('a');
    assert.equal(await get('a'), undefined);
    await remove('a');
  });

  test('keys are ordered by their UTF-8 bytes', async () => {
    const sorted = [
      '!',
      'A',
      'a',
      'a\u0001',
      'a!',
      'aa',
      'b',
      'é',
      '\ud7ff',
      '\uffff',
      '😀',
      '\u{10ffff}',
      '\u{10ffff}a',
    ];
    for (const key of [...sorted].reverse()) await put(key, key);
    assert.deepEqual(await keys(), sorted);
    assert.deepEqual(await keys({ reverse: true }), [...sorted].reverse());
    for (const key of sorted) assert.equal(await get(key), key);
  });

  test('a key may have U+0000 anywhere, and is ordered by it', async () => {
    const sorted = [
      '\0',
      '\0\0',
      '\0\0a',
      '\0\u0001',
      '\0a',
      '\u0001',
      'a',
      'a\0',
      'a\0\0',
      'a\0b',
      'a\u0001',
    ];
    for (const key of [...sorted].reverse()) await put(key, key, { dueSeconds: 7 });
    assert.deepEqual(await keys(), sorted);
    assert.deepEqual(await keys({ reverse: true }), [...sorted].reverse());
    for (const key of sorted) assert.equal(await get(key), key);
    assert.deepEqual(await keys({ prefix: '\0' }), sorted.slice(0, 5));
    assert.deepEqual(await keys({ gt: '\0', lte: '\0a' }), sorted.slice(1, 5));
    assert.deepEqual(await keys({ gt: 'a', lt: 'a\0b', reverse: true }), ['a\0\0', 'a\0']);
    assert.deepEqual(
      (await opened.store.due(7, 100)).map((row) => row.key),
      sorted,
    );
    assert.deepEqual(await spaces(''), [space]);
  });

  test('a key may have the maximum size, in a space with a long name', async () => {
    const long = Array.from({ length: maxRowKeyBytes }, (_, n) =>
      String.fromCharCode(33 + ((n * n) % 89)),
    ).join('');
    const name = `base/${'p'.repeat(200)}/${'é'.repeat(127)}`;
    await put(long, 'x', { space: name });
    assert.equal(await get(long, name), 'x');
    assert.deepEqual(await keys({ prefix: long }, name), [long]);
  });

  test('a key may have 1,024 bytes of long characters', async () => {
    const long = 'é'.repeat(512);
    await put(long, 'x');
    await put(`${long.slice(1)}z`, 'y');
    assert.equal(await get(long), 'x');
    assert.deepEqual(await keys({ prefix: long }), [long]);
  });

  test('keys of every length are found, each longer than all before, in characters of several bytes', async () => {
    const keys = Array.from({ length: 340 }, (_, n) => '€'.repeat(n + 1));
    const puts = keys.map((key) => ({ key, value: Buffer.from(key) }));
    await opened.store.transact(space, [], () => ({ puts, result: null }));
    for (const key of keys) assert.equal(await get(key), key);
  });
}
