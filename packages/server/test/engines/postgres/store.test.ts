import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { migrateSchema } from '../../../src/engines/postgres/schema.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { OperatorError } from '../../../src/operator-error.js';
import { itemStoreSuite } from '../../conformance/item-store-suite.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

itemStoreSuite('PostgreSQL', async () => {
  const { url } = await freshDatabase(postgres);
  const store = await openPostgresStore({ url });
  return {
    store,
    reopen: async () => {
      await store.close();
      return openPostgresStore({ url });
    },
    cleanup: async () => {},
  };
});

async function withStores(count: number, work: (stores: ItemStore[]) => Promise<void>): Promise<void> {
  const { url } = await freshDatabase(postgres);
  await withStoresAt(Array<string>(count).fill(url), work);
}

const text = (row: Buffer | undefined) => row?.toString();

async function increment(store: ItemStore, key: string): Promise<number> {
  return await store.transact('s', [key], ([row]) => {
    const next = Number(text(row) ?? 0) + 1;
    return { puts: [{ key, value: Buffer.from(String(next)) }], result: next };
  });
}

describe('several servers on one database', () => {
  test('no increment of a row is lost, and each sees a value of its own', async () => {
    await withStores(4, async (stores) => {
      const seen = await Promise.all(
        Array.from({ length: 200 }, (_, n) => increment(stores[n % stores.length] as ItemStore, 'counter')),
      );
      assert.deepEqual(
        seen.sort((a, b) => a - b),
        Array.from({ length: 200 }, (_, n) => n + 1),
      );
      assert.equal(text(await (stores[0] as ItemStore).get('s', 'counter')), '200');
    });
  });

  test('of many inserts of one key one wins', async () => {
    await withStores(4, async (stores) => {
      for (let round = 0; round < 10; round++) {
        const key = `key${round}`;
        const won = await Promise.all(
          Array.from({ length: 40 }, (_, n) =>
            (stores[n % 4] as ItemStore).transact('s', [key], ([row]) =>
              row === undefined
                ? { puts: [{ key, value: Buffer.from(String(n)) }], result: true }
                : { result: false },
            ),
          ),
        );
        assert.equal(won.filter(Boolean).length, 1);
      }
    });
  });

  test('what was read as absent is absent when the transaction commits: no two of "I, if not you"', async () => {
    await withStores(2, async ([one, other]) => {
      const only = (store: ItemStore, mine: string, theirs: string) =>
        store.transact('s', [theirs], ([row]) =>
          row === undefined
            ? { puts: [{ key: mine, value: Buffer.from('1') }], result: true }
            : { result: false },
        );
      for (let round = 0; round < 50; round++) {
        const [a, b] = [`a${round}`, `b${round}`];
        const written = await Promise.all([only(one as ItemStore, a, b), only(other as ItemStore, b, a)]);
        assert.equal(written.filter(Boolean).length, 1, `round ${round}`);
      }
    });
  });

  test('batches that meet in other orders do not lock each other out, and none is seen in part', async () => {
    await withStores(3, async (stores) => {
      const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
      const write = (store: ItemStore, mark: string, order: readonly string[]) =>
        store.transact('s', [], () => ({
          puts: order.map((key) => ({ key, value: Buffer.from(mark) })),
          result: undefined,
        }));
      await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          write(stores[n % 3] as ItemStore, `m${n}`, n % 2 === 0 ? keys : [...keys].reverse()),
        ),
      );
      const seen = new Set<string>();
      for await (const rows of (stores[0] as ItemStore).scan('s'))
        for (const { value } of rows) seen.add(value.toString());
      assert.equal(seen.size, 1);
    });
  });
});

describe('a database that fails', () => {
  test('without tables the command that makes them is named; made by ten at once, they are there', async () => {
    const url = await postgres.createDatabase('without_tables');
    await assert.rejects(
      openPostgresStore({ url }),
      (cause) => cause instanceof OperatorError && /basedrive migrate/.test(cause.message),
    );
    const reports = await Promise.all(Array.from({ length: 10 }, () => migrateSchema(url)));
    assert.equal(reports.filter((done) => done.length > 0).length, 1);
    await (await openPostgresStore({ url })).close();
  });

  test('a database that does not keep what it acknowledges is refused', async () => {
    const { url } = await freshDatabase(postgres);
    await assert.rejects(
      openPostgresStore({ url: `${url}?options=-c%20synchronous_commit%3Doff` }),
      (cause) => cause instanceof OperatorError && /synchronous_commit/.test(cause.message),
    );
  });

  test('nobody there: unavailable, and no word of the password', async () => {
    await assert.rejects(openPostgresStore({ url: 'postgres://me:s3cret@127.0.0.1:1/none' }), (cause) => {
      assert.ok(cause instanceof StorageUnavailable);
      assert.ok(!String(cause.stack).includes('s3cret'));
      return true;
    });
  });

  test('killed under writers and started again, it has everything it acknowledged, and the store goes on', async () => {
    await withStores(2, async (stores) => {
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
      const there = new Set<string>();
      for await (const rows of (stores[0] as ItemStore).scan('s')) for (const { key } of rows) there.add(key);
      assert.deepEqual(
        [...acknowledged].filter((key) => !there.has(key)),
        [],
      );
    });
  });
});

test('a page reads what it gives, however large rows are', async () => {
  await withStores(1, async ([store]) => {
    const large = Buffer.alloc(400_000, 'x');
    for (let n = 0; n < 30; n++) {
      await (store as ItemStore).transact('s', [], () => ({
        puts: [{ key: `k${String(n).padStart(2, '0')}`, value: large }],
        result: undefined,
      }));
    }
    const sizes: number[] = [];
    for await (const rows of (store as ItemStore).scan('s')) sizes.push(rows.length);
    assert.equal(
      sizes.reduce((sum, rows) => sum + rows, 0),
      30,
    );
    assert.ok(Math.max(...sizes) === 1, `${sizes}`);
  });
});
