import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerKey, type Put } from '../../../src/engines/item-store.js';
import { type OpenedStore, space } from './opened-store.js';

/** A transaction also reads the header of its space. */
export function headerTests(opened: OpenedStore): void {
  const { put, get, keys } = opened;

  test('a transaction reads the header of its space, also if others change it at the same time', async () => {
    const write = (key: string) =>
      opened.store.transact(space, [headerKey], ([header]) => ({
        puts: [{ key, value: Buffer.from(header?.toString() ?? 'none') }],
        result: header?.toString(),
      }));
    const setHeader = (text: string | undefined) =>
      opened.store.transact(space, [headerKey], () => ({
        ...(text === undefined
          ? { deletes: [headerKey] }
          : { puts: [{ key: headerKey, value: Buffer.from(text) }] }),
        result: null,
      }));
    assert.equal(await write('a'), undefined);
    assert.equal(await get('a'), 'none');
    for (const text of ['1', '2', undefined, '3', undefined]) {
      // What begins before the change may see either header; what begins after it sees the new one.
      const before = Array.from({ length: 10 }, (_, n) => write(`before ${n}`));
      await setHeader(text);
      assert.equal(await write('after'), text);
      await Promise.all(before);
      assert.equal(await get('after'), text ?? 'none');
      assert.equal(await get(headerKey), text);
      const others = await opened.store.transact(space, ['a', headerKey, 'none'], (rows) => ({
        deletes: ['before 1'],
        result: rows.map((row) => row?.toString()),
      }));
      assert.deepEqual(others, ['none', text, undefined]);
      assert.equal(await get('before 1'), undefined);
    }
  });

  test('a blind batch sees the header, whatever it changes', async () => {
    const changes: Record<string, { puts?: Put[]; deletes?: string[] }> = {
      nothing: {},
      put: { puts: [{ key: 'a', value: Buffer.from('1') }] },
      'many puts': {
        puts: Array.from({ length: 40 }, (_, n) => ({ key: `p${n}`, value: Buffer.from('1') })),
      },
      delete: { deletes: ['a'] },
      both: { puts: [{ key: 'b', value: Buffer.from('1') }], deletes: ['a', 'p1'] },
    };
    const seen = async () => {
      const found: string[] = [];
      for (const change of Object.values(changes)) {
        found.push(
          await opened.store.transact(space, [headerKey], ([header]) => ({
            ...(header === undefined ? change : {}),
            result: header?.toString() ?? 'none',
          })),
        );
      }
      return found;
    };
    assert.deepEqual(await seen(), Object.keys(changes).fill('none'));
    assert.equal((await keys()).length, 40, 'a and p1 are deleted, b is put');
    await put(headerKey, 'H');
    await put('a', 'stays');
    assert.deepEqual(await seen(), Object.keys(changes).fill('H'));
    assert.equal(await get('a'), 'stays');
  });
}
