import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScannedRow, ScanRange } from '../../../src/engines/item-store.js';
import { type OpenedStore, space } from './opened-store.js';

/** Rows that have a due time. */
export function dueTests(opened: OpenedStore): void {
  const { put, remove, get, keys } = opened;

  test('a scan gives due times only if they are asked for', async () => {
    await put('a', '1', { dueSeconds: 100 });
    await put('b', '2');
    const marks = async (range: ScanRange) => {
      const rows: ScannedRow[] = [];
      for await (const batch of opened.store.scan(space, range)) rows.push(...batch);
      return rows.map((row) => row.dueSeconds);
    };
    assert.deepEqual(await marks({ withDue: true }), [100, undefined]);
    assert.deepEqual(await marks({}), [undefined, undefined]);
  });

  test('rows are due in the order of their times, up to a moment and a limit', async () => {
    await put('late', '', { dueSeconds: 300 });
    await put('early', '', { dueSeconds: 100 });
    await put('other', '', { dueSeconds: 200, space: 'drive/demo/d' });
    await put('never', '');
    await put('zero', '', { dueSeconds: 0 });
    const due = async (before: number, limit = 10) =>
      (await opened.store.due(before, limit)).map((row) => `${row.space} ${row.key}`);
    assert.deepEqual(await due(99), [`${space} zero`]);
    assert.deepEqual(await due(200), [`${space} zero`, `${space} early`, 'drive/demo/d other']);
    assert.deepEqual(await due(1_000_000_000_000, 2), [`${space} zero`, `${space} early`]);
    assert.equal((await due(300)).length, 4);
    assert.equal(await get('late'), '');
  });

  test('the due time belongs to the row: a put without one and a delete remove it', async () => {
    await put('a', '1', { dueSeconds: 100 });
    await put('b', '1', { dueSeconds: 100 });
    await put('c', '1', { dueSeconds: 100 });
    await put('d', '1', { dueSeconds: 100 });
    await put('a', '2');
    await put('b', '2', { dueSeconds: 200 });
    await remove('c');
    await opened.store.transact(space, ['d'], () => ({
      puts: [{ key: 'd', value: Buffer.from('2'), dueSeconds: 100 }],
      result: null,
    }));
    const due = async (before: number) => (await opened.store.due(before, 10)).map((row) => row.key);
    assert.deepEqual(await due(150), ['d']);
    assert.deepEqual(await due(250), ['d', 'b']);
    await put('a', '3', { dueSeconds: 100 });
    assert.deepEqual((await due(150)).sort(), ['a', 'd']);
    assert.equal(await get('b'), '2');
    assert.deepEqual(await keys(), ['a', 'b', 'd']);
  });
}
