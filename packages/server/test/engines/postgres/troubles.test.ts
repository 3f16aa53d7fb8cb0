import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { startProxy } from 'basedrive-acceptance/services/proxy.js';
import { Client } from 'pg';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { migrateSchema } from '../../../src/engines/postgres/schema.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';
import { startRewriter } from '../../support/postgres-rewriter.js';

const password = 's3cretpassword';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const put = (store: ItemStore, key: string, value = Buffer.from('1')) =>
  store.transact('s', [], () => ({ puts: [{ key, value }], result: undefined }));

async function keysOf(store: ItemStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const rows of store.scan('s')) keys.push(...rows.map(({ key }) => key));
  return keys;
}

function isUnavailable(cause: unknown): boolean {
  assert.ok(cause instanceof StorageUnavailable, String(cause));
  assert.ok(!`${cause.stack}${(cause.cause as Error | undefined)?.stack}`.includes(password));
  return true;
}

/** From now on the database asks the user `guarded` for a password. */
async function guard(): Promise<void> {
  await postgres.ask(`CREATE ROLE guarded LOGIN SUPERUSER PASSWORD '${password}'`);
  const [file] = await postgres.ask('SHOW hba_file');
  const lines = [
    'local all all trust',
    'host all guarded 127.0.0.1/32 scram-sha-256',
    'host all all 127.0.0.1/32 trust',
  ];
  await postgres.ask(`COPY (SELECT unnest(ARRAY[${lines.map((line) => `'${line}'`)}])) TO '${file}'`);
  await postgres.kill();
  await postgres.restart();
}

test('the password opens, another one or an absent database does not, and neither is heard of again', async () => {
  await guard();
  const { url } = await freshDatabase(postgres);
  const guarded = url.replace('postgres@', `guarded:${password}@`);
  await withStoresAt([guarded], async ([store]) => {
    await put(store as ItemStore, 'k');
    assert.deepEqual(await keysOf(store as ItemStore), ['k']);
  });
  const wrong = guarded.replace(password, `not${password}`);
  const absent = `${guarded}_that_is_not_there`;
  for (const address of [wrong, absent]) {
    await assert.rejects(openPostgresStore({ url: address }), isUnavailable);
    await assert.rejects(migrateSchema(address), isUnavailable);
  }
});

describe('everything ends in time', () => {
  test('on a network that says nothing any more; afterwards the store works by itself', async (context) => {
    const { url } = await freshDatabase(postgres);
    const proxy = await startProxy(postgres.port);
    context.after(() => proxy.close());
    const through = url.replace(`:${postgres.port}/`, `:${proxy.port}/`);
    const store = await openPostgresStore({ url: through, statementTimeoutMs: 200 });
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

  test('when another holds the row', async () => {
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
    // Who only reads does not wait.
    assert.deepEqual(await keysOf(store), ['k']);
    await holder.end();
    await put(store, 'k');
    await store.close();
  });

  test('scans whose readers are slow keep nobody from reading and writing', async () => {
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

test('a database that takes no writes is read, and writes are refused', async () => {
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
    },
  );
});

test('connections that the database ends are replaced; nothing acknowledged is lost', async () => {
  const { name, url } = await freshDatabase(postgres);
  await withStoresAt([url], async ([store]) => {
    assert.ok(store !== undefined);
    const acknowledged: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const key = `w${writer}-${n}`;
        // Half of them read first, and so are a transaction of several statements.
        const keys = writer % 2 === 0 ? [] : [key];
        const change = { puts: [{ key, value: Buffer.from(key) }], result: key };
        const done = await store.transact('s', keys, () => change).catch(isUnavailable);
        if (typeof done === 'string') acknowledged.push(done);
      }
    });
    for (let round = 0; round < 10; round++) {
      const goal = acknowledged.length + 50;
      while (acknowledged.length < goal) await new Promise((resolve) => setImmediate(resolve));
      await postgres.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    }
    isOver = true;
    await Promise.all(writers);
    const there = new Set(await keysOf(store));
    assert.deepEqual(
      acknowledged.filter((key) => !there.has(key)),
      [],
    );
  });
});

test('of rows of 16 MiB each batch has one, and no more than that one comes over the wire', async (context) => {
  const { url } = await freshDatabase(postgres);
  const wire = await startRewriter(postgres.port);
  context.after(() => wire.close());
  await withStoresAt([url.replace(`:${postgres.port}/`, `:${wire.port}/`)], async ([store]) => {
    assert.ok(store !== undefined);
    const size = 16 * 1024 * 1024;
    const value = Buffer.alloc(size, 'rows of many bytes');
    const keys = ['a', 'b', 'c', 'd'];
    for (const key of keys) await put(store, key, value);
    for (const reverse of [false, true]) {
      const seen: string[] = [];
      let received = wire.receivedBytes();
      for await (const rows of store.scan('s', { reverse })) {
        assert.equal(rows.length, 1);
        assert.ok(rows[0]?.value.equals(value));
        // Each byte is two letters.
        assert.ok(wire.receivedBytes() - received < 2 * size + 64 * 1024);
        received = wire.receivedBytes();
        seen.push(rows[0]!.key);
      }
      assert.deepEqual(seen, reverse ? keys.toReversed() : keys);
    }
    assert.ok((await store.get('s', 'c'))?.equals(value));
  });
});
