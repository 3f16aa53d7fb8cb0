import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TooMuchRead } from '../../../src/engines/storage-errors.js';
import { type OpenedStore, space } from './opened-store.js';

/** A transaction does all or nothing, whatever others do at the same time. */
export function transactionTests(opened: OpenedStore): void {
  const { put, get, scan } = opened;

  test('a transaction sees the rows it names, in their order', async () => {
    await put('a', '1');
    await put('c', '3');
    const seen = await opened.store.transact(space, ['c', 'b', 'a', 'c'], (rows) => ({
      result: rows.map((row) => row?.toString()),
    }));
    assert.deepEqual(seen, ['3', undefined, '1', '3']);
  });

  test('a transaction changes all or nothing, any row of its space', async () => {
    await put('a', '1');
    await put('b', '2');
    const result = await opened.store.transact(space, ['a'], ([row]) => ({
      puts: [
        { key: 'a', value: Buffer.from(`${row}!`) },
        { key: 'c', value: Buffer.from('3') },
      ],
      deletes: ['b', 'never there'],
      result: 'done',
    }));
    assert.equal(result, 'done');
    assert.deepEqual(
      (await scan()).map((row) => [row.key, row.value.toString()]),
      [
        ['a', '1!'],
        ['c', '3'],
      ],
    );
    const refused = opened.store.transact(space, ['a'], () => {
      throw new Error('no');
    });
    await assert.rejects(refused, /^Error: no$/);
    assert.equal(await get('a'), '1!');
  });

  test('a transaction of several keys reads no more bytes than it may, and says how many of its rows are not too many', async () => {
    const some = Array.from({ length: 40 }, (_, n) => `k${n}`);
    await opened.store.transact(space, [], () => ({
      puts: some.map((key) => ({ key, value: Buffer.alloc(1000, 'x') })),
      result: undefined,
    }));
    let isDecided = false;
    const reading = (keys: readonly string[], maxReadBytes: number) =>
      opened.store.transact(
        space,
        keys,
        (rows) => {
          isDecided = true;
          return { puts: [{ key: 'new', value: Buffer.from('1') }], result: rows.length };
        },
        { maxReadBytes },
      );
    await assert.rejects(
      reading(['absent', ...some], 10_500),
      (cause) => cause instanceof TooMuchRead && cause.fits === 11,
    );
    assert.equal(isDecided, false);
    assert.equal(await get('new'), undefined);
    assert.equal(await reading(some.slice(0, 10), 10_500), 10);
    assert.equal(await reading(['k0'], 10), 1, 'a single row may have any size');
  });

  test('one that throws does not disturb those beside it', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) =>
        opened.store.transact(space, ['counter'], ([row]) => {
          if (n % 2 === 1) throw new Error(`odd ${n}`);
          return {
            puts: [{ key: 'counter', value: Buffer.from(String(Number(row ?? 0) + 1)) }],
            result: n,
          };
        }),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 25);
    assert.equal(await get('counter'), '25');
  });

  test('sixty-four writers of one counter add up exactly', async () => {
    const perWriter = 20;
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        for (let n = 0; n < perWriter; n++) {
          await opened.store.transact(space, ['counter'], ([row]) => ({
            puts: [{ key: 'counter', value: Buffer.from(String(Number(row ?? 0) + 1)) }],
            result: null,
          }));
        }
      }),
    );
    assert.equal(await get('counter'), String(64 * perWriter));
  });

  test('of many that insert one key, one finds it absent', async () => {
    const won = await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        opened.store.transact(space, ['only'], ([row]) =>
          row ? { result: false } : { puts: [{ key: 'only', value: Buffer.from(String(n)) }], result: true },
        ),
      ),
    );
    assert.equal(won.filter(Boolean).length, 1);
  });

  test('blind batches, deletes and readers in one crowd see each other in order', async () => {
    const seen: (string | undefined)[] = [];
    await Promise.all([
      put('x', '1'),
      opened.store.transact(space, ['x'], ([row]) => ({
        deletes: ['x'],
        result: seen.push(row?.toString()),
      })),
      opened.store.transact(space, ['x'], ([row]) => ({
        puts: [{ key: 'x', value: Buffer.from('2') }],
        result: seen.push(row?.toString()),
      })),
    ]);
    // `decide` may run again, so only the last of each counts: every outcome must be one of some order.
    assert.ok(seen.length >= 2);
    assert.ok(['2', undefined].includes(await get('x')));
  });
}
