import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isPooled, startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { startProxy } from 'basedrive-acceptance/services/proxy.js';
import { Client } from 'pg';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { freshDatabase, keysOf, throughPort, withStoresAt } from '../../support/postgres-databases.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const put = (store: ItemStore, key: string, value = Buffer.from('1')) =>
  store.transact('s', [], () => ({ puts: [{ key, value }], result: undefined }));

function isUnavailable(cause: unknown): boolean {
  assert.ok(cause instanceof StorageUnavailable, String(cause));
  return true;
}

describe('every call ends in time', () => {
  test('when the network is cut silently, and the store works again when it is back', async (context) => {
    const { url } = await freshDatabase(postgres);
    const proxy = await startProxy(postgres.port);
    context.after(() => proxy.close());
    const store = await openPostgresStore({ url: throughPort(url, proxy.port), statementTimeoutMs: 200 });
    await put(store, 'before');
    proxy.cut();
    const calls = [
      Promise.resolve(store.get('s', 'before')),
      put(store, 'during'),
      store.transact('s', ['before', 'none'], () => ({ deletes: ['before'], result: undefined })),
      keysOf(store),
      store.due(1, 1),
    ];
    await Promise.all(calls.map((call) => assert.rejects(call, isUnavailable)));
    proxy.restore();
    await put(store, 'after');
    assert.ok((await keysOf(store)).includes('after'));
    await store.close();
  });

  test('when another transaction holds the row', async () => {
    const { url } = await freshDatabase(postgres);
    const store = await openPostgresStore({ url, statementTimeoutMs: 200 });
    const holder = new Client({ connectionString: url });
    await holder.connect();
    await put(store, 'k');
    await holder.query('BEGIN');
    await holder.query('DELETE FROM basedrive_rows');
    await assert.rejects(put(store, 'k'), isUnavailable);
    await assert.rejects(
      store.transact('s', ['k'], () => ({ result: undefined })),
      isUnavailable,
    );
    // A read does not wait for locks.
    assert.deepEqual(await keysOf(store), ['k']);
    await holder.end();
    await put(store, 'k');
    await store.close();
  });

  const corrections = [
    {
      what: 'the tables are away, as during a restore',
      wrong: ['ALTER TABLE basedrive_rows RENAME TO away'],
      right: ['ALTER TABLE away RENAME TO basedrive_rows'],
    },
    {
      what: 'the user has no right to the tables',
      wrong: [
        'REVOKE ALL ON basedrive_rows FROM CURRENT_USER',
        'CREATE ROLE lesser LOGIN',
        'GRANT SELECT ON basedrive_schema TO lesser',
      ],
      right: ['GRANT ALL ON basedrive_rows TO lesser'],
      user: 'lesser',
    },
  ];
  for (const { what, wrong, right, user } of corrections) {
    const skip = user !== undefined && isPooled && 'the pooler has a user of its own';
    test(`while ${what}, and the store works again when that is corrected`, { skip }, async () => {
      const { url } = await freshDatabase(postgres);
      const address = new URL(url);
      const database = address.pathname.slice(1);
      for (const statement of user === undefined ? [] : wrong) await postgres.ask(statement, database);
      if (user !== undefined) address.username = user;
      const store = await openPostgresStore({ url: address.href, statementTimeoutMs: 2000 });
      for (const statement of user === undefined ? wrong : []) await postgres.ask(statement, database);
      await assert.rejects(put(store, 'during'), isUnavailable);
      await assert.rejects(keysOf(store), isUnavailable);
      for (const statement of right) await postgres.ask(statement, database);
      await put(store, 'after');
      assert.deepEqual(await keysOf(store), ['after']);
      await store.close();
    });
  }

  test('while scans with slow readers keep their connections', async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url], async ([store]) => {
      assert.ok(store !== undefined);
      await put(store, 'k');
      const scans = Array.from({ length: 4 }, () => store.scan('s')[Symbol.asyncIterator]());
      await Promise.all(scans.map((scan) => scan.next()));
      await Promise.all(Array.from({ length: 50 }, (_, n) => put(store, `k${n}`)));
      assert.equal((await store.get('s', 'k49'))?.toString(), '1');
      for (const scan of scans) await scan.return?.();
    });
  });
});

// A pooler has no options for the session of one client.
const skip = isPooled && 'a pooler is in between';
test('a read-only database answers reads, refuses writes, and is not ready', { skip }, async () => {
  const { url } = await freshDatabase(postgres);
  await withStoresAt(
    [url, `${url}?options=-c%20default_transaction_read_only%3Don`],
    async ([store, readOnly]) => {
      assert.ok(store !== undefined && readOnly !== undefined);
      await put(store, 'k');
      assert.equal((await readOnly.get('s', 'k'))?.toString(), '1');
      await assert.rejects(put(readOnly, 'other'), isUnavailable);
      await assert.rejects(
        readOnly.transact('s', ['k'], () => ({ deletes: ['k'], result: undefined })),
        isUnavailable,
      );
      assert.deepEqual(await keysOf(readOnly), ['k']);
      await store.ready?.();
      await assert.rejects(async () => await readOnly.ready?.(), {
        name: 'StorageUnavailable',
        reason: 'the database is read-only',
      });
    },
  );
});

test('connections that the database ends are replaced, and nothing acknowledged is lost', async () => {
  const { name, url } = await freshDatabase(postgres);
  await withStoresAt([url], async ([store]) => {
    assert.ok(store !== undefined);
    const acknowledged: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const key = `w${writer}-${n}`;
        // Half of the writers read first, so their transactions have several statements.
        const keys = writer % 2 === 0 ? [] : [key];
        const change = { puts: [{ key, value: Buffer.from(key) }], result: key };
        const done = await store.transact('s', keys, () => change).catch(isUnavailable);
        if (typeof done === 'string') acknowledged.push(done);
      }
    });
    for (let round = 0; round < 10; round++) {
      const goal = acknowledged.length + 50;
      while (acknowledged.length < goal) await wait(1);
      await postgres.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    }
    isOver = true;
    await Promise.all(writers);
    const stored = new Set(await keysOf(store));
    assert.deepEqual(
      acknowledged.filter((key) => !stored.has(key)),
      [],
    );
  });
});

test('a database that is killed under writers keeps what it acknowledged, and the store recovers by itself', async () => {
  const { url } = await freshDatabase(postgres);
  await withStoresAt([url, url], async (stores) => {
    const acknowledged = new Set<string>();
    let isOver = false;
    let failures = 0;
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const key = `w${writer}-${n}`;
        try {
          await (stores[writer % 2] as ItemStore).transact('s', n % 2 === 0 ? [] : [key], () => ({
            puts: [{ key, value: Buffer.from(key) }],
            result: undefined,
          }));
          acknowledged.add(key);
        } catch (cause) {
          assert.ok(cause instanceof StorageUnavailable, String(cause));
          failures++;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    });
    for (let kill = 0; kill < 3; kill++) {
      const goal = acknowledged.size + 300;
      while (acknowledged.size < goal) await new Promise((resolve) => setTimeout(resolve, 5));
      await postgres.kill();
      await postgres.restart();
    }
    const goal = acknowledged.size + 100;
    while (acknowledged.size < goal) await new Promise((resolve) => setTimeout(resolve, 5));
    isOver = true;
    await Promise.all(writers);
    assert.ok(failures > 0);
    const stored = new Set(await keysOf(stores[0] as ItemStore));
    assert.deepEqual(
      [...acknowledged].filter((key) => !stored.has(key)),
      [],
    );
  });
});
