import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { Client } from 'pg';
import { type Change, headerKey, type ItemStore } from '../../../src/engines/item-store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import {
  type Database,
  freshDatabase,
  keysOf,
  throughPort,
  withStoresAt,
} from '../../support/postgres-databases.js';
import { startRewriter } from '../../support/postgres-rewriter.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const value = Buffer.from('1');
const put = (key: string) => ({ key, value });

const text = (row: Buffer | undefined) => row?.toString();

async function increment(store: ItemStore, key: string): Promise<number> {
  return await store.transact('s', [key], ([row]) => {
    const next = Number(text(row) ?? 0) + 1;
    return { puts: [{ key, value: Buffer.from(String(next)) }], result: next };
  });
}

async function withStores(count: number, work: (stores: ItemStore[]) => Promise<void>): Promise<void> {
  const { url } = await freshDatabase(postgres);
  await withStoresAt(Array<string>(count).fill(url), work);
}

/** Resolves when this many connections of a database wait for the locks of others. */
async function untilWaiting({ name }: Database, count: number): Promise<void> {
  const statement = `SELECT count(*) FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`;
  while ((await postgres.ask(statement))[0] !== String(count)) await wait(20);
}

/** A transaction that lets others read, and lock or write no row, until the returned function is called. */
async function holdTable({ url }: Database): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE basedrive_rows IN SHARE ROW EXCLUSIVE MODE');
  return async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
}

/** A transaction that has put a row and stays open until the returned function is called: writers of the row wait. */
async function holdRow({ url }: Database, key: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO basedrive_rows (space, key, value) VALUES ('s', $1, '')`, [
    Buffer.from(key),
  ]);
  return async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
}

describe('a delete of unread rows that meets a put in progress is ordered before or after it', () => {
  const change: Change<undefined> = { deletes: ['a', 'b'], result: undefined };
  const cases: [string, (store: ItemStore) => Promise<unknown>][] = [
    ['in a blind batch', (store) => store.transact('s', [], () => change)],
    ['in a transaction that read another row', (store) => store.transact('s', ['other'], () => change)],
    [
      'in a blind batch that puts too',
      (store) => store.transact('s', [], () => ({ ...change, puts: [put('c')] })),
    ],
  ];
  for (const [name, removeBoth] of cases) {
    test(name, async () => {
      const database = await freshDatabase(postgres);
      await withStoresAt([database.url, database.url], async ([one, other]) => {
        assert.ok(one !== undefined && other !== undefined);
        await one.transact('s', [], () => ({ puts: [put('b')], result: undefined }));
        const release = await holdRow(database, 'z');
        // This transaction has put `a`, which no other can see yet, and waits for `z`.
        const putting = one.transact('s', ['b'], ([b]) => ({
          puts: b === undefined ? [] : [put('a'), put('z')],
          result: undefined,
        }));
        await untilWaiting(database, 1);
        const removing = removeBoth(other);
        await untilWaiting(database, 2);
        await release();
        await Promise.all([putting, removing]);
        // If the deletes came first, there was no `b` and so no `a`; if they came last, they deleted both.
        const keys = await keysOf(one);
        assert.ok(!keys.includes('a') && !keys.includes('b'), `${keys}`);
      });
    });
  }
});

test('a transaction whose BEGIN the database refuses changes nothing', async (context) => {
  const database = await freshDatabase(postgres);
  const rewriter = await startRewriter(postgres.port, {
    // No isolation level has this name.
    rewriteSent: (text) => text.replaceAll('READ COMMITTED', 'READ COMITTED?'),
  });
  context.after(() => rewriter.close());
  const refusing = throughPort(database.url, rewriter.port);
  await withStoresAt([database.url, refusing], async ([store, refused]) => {
    assert.ok(store !== undefined && refused !== undefined);
    await store.transact('s', [], () => ({ puts: [put('a'), put('b')], result: undefined }));
    const change: Change<undefined> = { puts: [put('c')], deletes: ['a', 'x'], result: undefined };
    await assert.rejects(refused.transact('s', [], () => change));
    await assert.rejects(refused.transact('s', ['b'], () => change));
    assert.deepEqual(await keysOf(store), ['a', 'b']);
  });
});

test('a transaction that meets a conflict at every attempt is unavailable, and changes nothing', async (context) => {
  const database = await freshDatabase(postgres);
  // It never sees the row that it collides with.
  const rewriter = await startRewriter(postgres.port, {
    rewriteSent: (text) => text.replaceAll('ORDER BY key FOR UPDATE', 'ORDER BY key OFFSET 999'),
  });
  context.after(() => rewriter.close());
  const blind = throughPort(database.url, rewriter.port);
  await withStoresAt([database.url, blind], async ([store, colliding]) => {
    assert.ok(store !== undefined && colliding !== undefined);
    await store.transact('s', [], () => ({ puts: [put('a')], result: undefined }));
    const inserting = colliding.transact('s', ['a'], () => ({
      puts: [{ key: 'a', value: Buffer.from('2') }],
      result: undefined,
    }));
    await assert.rejects(inserting, (cause) => cause instanceof StorageUnavailable);
    assert.equal((await store.get('s', 'a'))?.toString(), '1');
  });
});

describe('several servers on one database', () => {
  test('lose no increment of a row, and each increment sees another value', async () => {
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

  test('let one of many inserts of a key win', async () => {
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

  test('never both write "mine, if there is no yours": a key read as absent is absent at the commit', async () => {
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

  test('write batches of the same rows in different orders without a deadlock, and none is seen in part', async () => {
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

describe('the header of a space that several servers write', () => {
  const header = (store: ItemStore, written: string) =>
    store.transact('s', [headerKey], () => ({
      puts: [{ key: headerKey, value: Buffer.from(written) }],
      result: undefined,
    }));
  /** Writes that keep in each row the header that they saw. */
  const writes: Record<string, (store: ItemStore, key: string) => Promise<unknown>> = {
    'a blind put': (store, key) =>
      store.transact('s', [headerKey], ([seen]) => ({
        puts: [{ key, value: Buffer.from(text(seen) ?? '0') }],
        result: undefined,
      })),
    'a put and a delete': (store, key) =>
      store.transact('s', [headerKey], ([seen]) => ({
        puts: [{ key, value: Buffer.from(text(seen) ?? '0') }],
        deletes: [`gone ${key}`],
        result: undefined,
      })),
    'an insert': (store, key) =>
      store.transact('s', [headerKey, key], ([seen]) => ({
        puts: [{ key, value: Buffer.from(text(seen) ?? '0') }],
        result: undefined,
      })),
  };

  for (const [name, write] of Object.entries(writes)) {
    test(`${name} that waits for a row while the header is changed counts as before it`, async () => {
      const database = await freshDatabase(postgres);
      await withStoresAt([database.url, database.url], async ([one, other]) => {
        assert.ok(one !== undefined && other !== undefined);
        const release = await holdRow(database, 'a');
        const written = write(one, 'a');
        await untilWaiting(database, 1);
        const changed = header(other, '1');
        await untilWaiting(database, 2);
        // It begins while the header is being changed, so it waits for the new one.
        const later = write(one, 'later');
        const another = write(other, 'another');
        await release();
        await Promise.all([written, changed, later, another]);
        assert.equal(text(await one.get('s', 'a')), '0');
        assert.equal(text(await one.get('s', 'another')), '1');
      });
    });

    test(`${name} that begins while a change of the header waits keeps the new one`, async () => {
      const database = await freshDatabase(postgres);
      await withStoresAt([database.url, database.url], async ([one, other]) => {
        assert.ok(one !== undefined && other !== undefined);
        const release = await holdTable(database);
        const changed = header(other, '1');
        await untilWaiting(database, 1);
        const written = write(one, 'a');
        await untilWaiting(database, 2);
        await release();
        await Promise.all([changed, written]);
        assert.equal(text(await one.get('s', 'a')), '1');
      });
    });

    test(`after a change of the header was answered, ${name} keeps no older one`, async () => {
      await withStores(3, async ([one, two, three]) => {
        assert.ok(one !== undefined && two !== undefined && three !== undefined);
        let isOver = false;
        let count = 0;
        const writers = [one, two].flatMap((store, server) =>
          Array.from({ length: 4 }, async (_, writer) => {
            for (let n = 0; !isOver; n++, count++) await write(store, `${server} ${writer} ${n}`);
          }),
        );
        try {
          for (let round = 1; round <= 20; round++) {
            const wanted = count + 20;
            while (count < wanted) await wait(1);
            await header(three, String(round));
            const known = new Set(await keysOf(three));
            const from = count;
            while (count < from + 20) await wait(1);
            for await (const rows of three.scan('s')) {
              for (const { key, value: seen } of rows) {
                if (known.has(key)) continue;
                assert.ok(Number(seen) >= round, `${key} was stored after header ${round} with ${seen}`);
              }
            }
          }
        } finally {
          isOver = true;
          await Promise.all(writers);
        }
      });
    });
  }
});
