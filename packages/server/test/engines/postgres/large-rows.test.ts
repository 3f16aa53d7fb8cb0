import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { TooMuchRead } from '../../../src/engines/storage-errors.js';
import { freshDatabase, throughPort, withStoresAt } from '../../support/postgres-databases.js';
import { startRewriter } from '../../support/postgres-rewriter.js';

const kib = 1024;
const rowBytes = 400 * kib;
const count = 60;
const keys = Array.from({ length: count }, (_, n) => `k${n}`);

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

test('small requests fetch large rows once, and no more of them than a transaction may read', async (context) => {
  const { url } = await freshDatabase(postgres);
  const proxy = await startRewriter(Number(new URL(url).port));
  try {
    await withStoresAt([throughPort(url, proxy.port)], async ([store]) => {
      assert.ok(store);
      const value = Buffer.alloc(rowBytes, 'x');
      await store.transact('s', [], () => ({ puts: keys.map((key) => ({ key, value })), result: undefined }));
      const received = async (work: () => Promise<unknown>) => {
        const before = proxy.receivedBytes();
        await work();
        // A value comes as text, which has two digits for each byte.
        return (proxy.receivedBytes() - before) / 2 / rowBytes;
      };

      const each = await received(() =>
        Promise.all(
          keys.map((key) =>
            store.transact('s', [key, 'absent'], ([row]) => {
              assert.equal(row?.length, rowBytes);
              return { puts: [{ key: `${key} seen`, value: Buffer.from('1') }], result: undefined };
            }),
          ),
        ),
      );
      context.diagnostic(`${count} transactions fetched ${each.toFixed(1)} rows`);
      assert.ok(each < 1.2 * count, `${each} rows`);
      const seen = await store.transact(
        's',
        keys.map((key) => `${key} seen`),
        (rows) => ({ result: rows.filter((row) => row?.toString() === '1').length }),
      );
      assert.equal(seen, count);

      const replaced = await received(() =>
        Promise.all(
          keys.map((key) =>
            store.transact('s', [key], ([row]) => {
              assert.equal(row?.length, rowBytes);
              return { puts: [{ key, value }], result: undefined };
            }),
          ),
        ),
      );
      context.diagnostic(`${count} transactions that replace their rows fetched ${replaced.toFixed(1)}`);
      assert.ok(replaced < 1.2 * count, `${replaced} rows`);

      const refused = await received(() =>
        assert.rejects(
          store.transact('s', keys, () => assert.fail('decided'), { maxReadBytes: 10 * rowBytes }),
          (cause) => cause instanceof TooMuchRead && cause.fits === 10,
        ),
      );
      context.diagnostic(`one that may read 10 rows fetched ${refused.toFixed(1)}`);
      assert.ok(refused < 12, `${refused} rows`);

      const all = await store.transact('s', keys, (rows) => ({ result: rows.map((row) => row?.length) }));
      assert.deepEqual(new Set(all), new Set([rowBytes]));
    });
  } finally {
    await proxy.close();
  }
});
