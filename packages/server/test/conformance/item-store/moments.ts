import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  headerKey,
  type KeyBounds,
  type ScannedRow,
  type ScanRange,
  type TextRow,
} from '../../../src/engines/item-store.js';
import { type OpenedStore, space } from './opened-store.js';

/** What was answered is seen, and what is read belongs to one moment. */
export function momentTests(opened: OpenedStore): void {
  const { put, get, scan } = opened;

  test('a snapshot shows one moment in all of its reads', async () => {
    const puts = Array.from({ length: 1000 }, (_, n) => ({
      key: `\0${String(n).padStart(4, '0')}`,
      value: Buffer.from(String(n)),
    }));
    await opened.store.transact(space, [], () => ({ puts, result: null }));
    const snapshot = await opened.store.snapshot(space);
    try {
      assert.deepEqual(await snapshot.texts(['\x000001', 'none', '\x000999', headerKey]), [
        '1',
        undefined,
        '999',
        undefined,
      ]);
      await opened.store.transact(space, [], () => ({
        puts: [
          { key: '\x000001', value: Buffer.from('new') },
          { key: 'none', value: Buffer.from('é') },
        ],
        deletes: ['\x000999'],
        result: null,
      }));
      assert.deepEqual(await snapshot.texts(['none', '\x000001']), [undefined, '1']);
      const read = async (range: ScanRange) => {
        const found: string[] = [];
        for await (const batch of snapshot.keys(range)) found.push(...batch);
        return found;
      };
      const all = puts.map(({ key }) => key);
      assert.deepEqual(await read({}), all);
      assert.deepEqual(await read({ reverse: true, firstBatch: 3 }), all.toReversed());
      assert.deepEqual(await read({ gte: '\x000010', lt: '\x000020', reverse: true, limit: 2 }), [
        '\x000019',
        '\x000018',
      ]);
      for await (const batch of snapshot.keys({})) {
        assert.ok(batch.length < 1000);
        break;
      }
      const rows = puts.map(({ key, value }) => ({ key, text: value.toString() }));
      const readRows = async (range: ScanRange) => {
        const found: Pick<TextRow, 'key' | 'text'>[] = [];
        for await (const batch of snapshot.scanText(range))
          found.push(...batch.map(({ key, text }) => ({ key, text })));
        return found;
      };
      for (let pass = 0; pass < 2; pass++) {
        assert.deepEqual(await readRows({}), rows);
        assert.deepEqual(await readRows({ prefix: '\x00099', gt: '\x000990', reverse: true, limit: 3 }), [
          rows[999],
          rows[998],
          rows[997],
        ]);
        for await (const batch of snapshot.scanText({})) {
          assert.ok(batch.length < 1000);
          break;
        }
        await put('between', String(pass), { dueSeconds: 7 });
        const found: ScannedRow[] = [];
        for await (const batch of snapshot.scan({ prefix: '\x00099', withDue: true })) found.push(...batch);
        assert.deepEqual(
          found.map(({ key, value, dueSeconds }) => ({ key, value: `${value}`, dueSeconds })),
          puts.slice(990).map(({ key, value }) => ({ key, value: `${value}`, dueSeconds: undefined })),
        );
        for await (const batch of snapshot.scan({ gte: 'between', withDue: true }))
          assert.deepEqual(batch, []);
      }
    } finally {
      await snapshot.close();
    }
    const later = await opened.store.snapshot(space);
    const sum = async (range: KeyBounds) => {
      let total = 0;
      for await (const count of later.counts(range)) total += count;
      return total;
    };
    assert.deepEqual(
      await Promise.all([
        sum({}),
        sum({ gte: 'z' }),
        sum({ gt: '\x000010', lte: '\x000020' }),
        sum({ prefix: 'b' }),
      ]),
      [1001, 0, 10, 1],
    );
    for await (const [row] of later.scan({ gte: 'between', lte: 'between', withDue: true }))
      assert.deepEqual([`${row?.value}`, row?.dueSeconds], ['1', 7]);
    assert.deepEqual(await later.texts(['none', '\x000001']), ['é', 'new']);
    await later.close();
  });

  test('a snapshot gives the keys of its space that are due', async () => {
    const other = `${space}-other`;
    // A shared database has rows of other stores.
    const before = (await opened.store.due(6, 1000)).length;
    for (const [key, dueSeconds] of [
      ['a', 5],
      ['b', 6],
      ['c', 7],
      ['gone', 5],
      ['late', 5],
    ] as const) {
      await put(key, 'x', { dueSeconds });
    }
    await put('never', 'x');
    await put('late', 'x', { dueSeconds: 8 });
    await opened.store.transact(space, [], () => ({ deletes: ['gone'], result: null }));
    await opened.store.transact(other, [], () => ({
      puts: [{ key: 'd', value: Buffer.from('x'), dueSeconds: 1 }],
      result: null,
    }));
    const snapshot = await opened.store.snapshot(space);
    try {
      assert.deepEqual(
        await snapshot.texts(['new']),
        [undefined],
        'its moment is not later than its first read',
      );
      await put('new', 'x', { dueSeconds: 1 });
      assert.deepEqual((await snapshot.dueKeys(6, before + 3))?.toSorted(), ['a', 'b']);
      assert.equal(await snapshot.dueKeys(6, before + 2), undefined);
      assert.deepEqual(await snapshot.dueKeys(0, 0), []);
    } finally {
      await snapshot.close();
    }
  });

  test('frozen rows show one moment of all spaces', async (context) => {
    if (opened.store.freeze === undefined) {
      context.skip('the engine has tools of its own for backups');
      return;
    }
    const other = `${space}-other`;
    await put('a', 'before', { dueSeconds: 5 });
    await put('gone', 'before');
    await opened.store.transact(other, [], () => ({
      puts: [{ key: 'b', value: Buffer.from('before') }],
      result: null,
    }));
    const frozen = await opened.store.freeze();
    try {
      await put('a', 'after');
      await put('new', 'after');
      for (const [changed, key] of [
        [space, 'gone'],
        [other, 'b'],
      ] as const) {
        await opened.store.transact(changed, [], () => ({ deletes: [key], result: null }));
      }
      await opened.store.transact(`${space}-new`, [], () => ({
        puts: [{ key: 'c', value: Buffer.from('after') }],
        result: null,
      }));
      const rows: (string | number | undefined)[][] = [];
      for await (const name of frozen.spaces(space)) {
        for await (const batch of frozen.scan(name, { withDue: true })) {
          for (const { key, value, dueSeconds } of batch) rows.push([name, key, `${value}`, dueSeconds]);
        }
      }
      assert.deepEqual(rows, [
        [space, 'a', 'before', 5],
        [space, 'gone', 'before', undefined],
        [other, 'b', 'before', undefined],
      ]);
      assert.equal(`${await frozen.get(other, 'b')}`, 'before');
      assert.equal(await frozen.get(space, 'new'), undefined);
      assert.equal(await get('a'), 'after');
    } finally {
      await frozen.close();
    }
  });

  test('a write that was answered is read by the next get and the next scan', async () => {
    for (let n = 0; n < 20; n++) {
      await put('mine', String(n));
      assert.equal(await get('mine'), String(n));
      assert.equal((await scan())[0]?.value.toString(), String(n));
    }
  });
}
