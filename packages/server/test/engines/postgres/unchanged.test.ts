import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgres } from 'basedrive-acceptance/services/postgres.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

const rounds = 200;

test('transactions that change nothing do not wait for the disk', async (context) => {
  const postgres = await startPostgres();
  context.after(() => postgres.stop());
  const { url } = await freshDatabase(postgres);
  const syncs = async () => Number((await postgres.ask('SELECT wal_sync FROM pg_stat_wal'))[0]);
  const keys = ['a', 'b', 'absent'];
  // Connections tell what they have counted when they end.
  await withStoresAt([url], async ([store]) => {
    await store?.transact('s', [], () => ({
      puts: [
        { key: 'a', value: Buffer.from('1') },
        { key: 'b', value: Buffer.from('2') },
      ],
      result: undefined,
    }));
  });
  const before = await syncs();
  await withStoresAt([url], async ([store]) => {
    for (let n = 0; n < rounds; n++) {
      const read = await store?.transact('s', keys, (rows) => ({ result: rows.map(String) }));
      assert.deepEqual(read, ['1', '2', 'undefined']);
    }
    assert.equal(await store?.get('s', 'absent'), undefined);
  });
  const synced = (await syncs()) - before;
  context.diagnostic(`${rounds} transactions, ${synced} syncs`);
  assert.ok(synced < rounds / 2, String(synced));
});
