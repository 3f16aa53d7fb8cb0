import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { freshDatabase, throughPort, withStoresAt } from '../../support/postgres-databases.js';
import { startRewriter } from '../../support/postgres-rewriter.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const put = (store: ItemStore, key: string, value = Buffer.from('1')) =>
  store.transact('s', [], () => ({ puts: [{ key, value }], result: undefined }));

test('a page of large rows holds one row, and no row is read twice', async () => {
  const { url } = await freshDatabase(postgres);
  await withStoresAt([url], async ([store]) => {
    assert.ok(store !== undefined);
    const large = Buffer.alloc(400_000, 'x');
    for (let n = 0; n < 30; n++) await put(store, `k${n}`, large);
    const sizes: number[] = [];
    for await (const rows of store.scan('s')) sizes.push(rows.length);
    assert.equal(
      sizes.reduce((sum, rows) => sum + rows, 0),
      30,
    );
    assert.equal(Math.max(...sizes), 1, `${sizes}`);
  });
});

test('a batch of rows of 16 MiB holds one row, and only that row is sent by the database', async (context) => {
  const { url } = await freshDatabase(postgres);
  const wire = await startRewriter(postgres.port);
  context.after(() => wire.close());
  await withStoresAt([throughPort(url, wire.port)], async ([store]) => {
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
        // The text format takes two letters for each byte.
        assert.ok(wire.receivedBytes() - received < 2 * size + 64 * 1024);
        received = wire.receivedBytes();
        seen.push(rows[0]!.key);
      }
      assert.deepEqual(seen, reverse ? keys.toReversed() : keys);
    }
    assert.ok((await store.get('s', 'c'))?.equals(value));
  });
});

/** CockroachDB's `int` is an `int8`, which the driver gives as text: counts would be joined in place of added. */
test('rows are counted as numbers where int has eight bytes', async (context) => {
  const { url } = await freshDatabase(postgres);
  const wire = await startRewriter(postgres.port, {
    rewriteSent: (text) => text.replaceAll(/ (\w+)::int FROM/g, '$1::int8 FROM'),
  });
  context.after(() => wire.close());
  await withStoresAt([throughPort(url, wire.port)], async ([store]) => {
    assert.ok(store !== undefined);
    for (const key of ['a', 'b']) await put(store, key);
    const snapshot = await store.snapshot('s');
    try {
      const counts: number[] = [];
      for await (const count of snapshot.counts({})) counts.push(count);
      assert.deepEqual(counts, [2]);
    } finally {
      await snapshot.close();
    }
  });
});
