import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { Client } from 'pg';
import type { Change, ItemStore } from '../../../src/engines/item-store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { type Database, freshDatabase, withStoresAt } from '../../support/postgres-databases.js';
import { startRewriter } from '../../support/postgres-rewriter.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const value = Buffer.from('1');
const put = (key: string) => ({ key, value });

async function keysOf(store: ItemStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const rows of store.scan('s')) keys.push(...rows.map(({ key }) => key));
  return keys;
}

/** Resolves when so many connections of a database wait for the locks of others. */
async function untilWaiting({ name }: Database, count: number): Promise<void> {
  const statement = `SELECT count(*) FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`;
  while ((await postgres.ask(statement))[0] !== String(count));
}

/** Somebody who puts a row and has not yet said whether it stays: who wants that row waits. */
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

describe('a delete of rows that it has not read meets a put that is under way', () => {
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
        const letGo = await holdRow(database, 'z');
        // It has put `a`, which nobody else can see yet, and waits for `z`.
        const putting = one.transact('s', ['b'], ([b]) => ({
          puts: b === undefined ? [] : [put('a'), put('z')],
          result: undefined,
        }));
        await untilWaiting(database, 1);
        const removing = removeBoth(other);
        await untilWaiting(database, 2);
        await letGo();
        await Promise.all([putting, removing]);
        // Had the deletes been first, there would be no `b` and so no `a`; had they been last, neither.
        const keys = await keysOf(one);
        assert.ok(!keys.includes('a') && !keys.includes('b'), `${keys}`);
      });
    });
  }
});

test('a transaction that the database would not begin changes nothing', async (context) => {
  const database = await freshDatabase(postgres);
  const rewriter = await startRewriter(postgres.port, {
    rewriteSent: (text) => text.replaceAll('READ COMMITTED', 'READ COMITTED?'),
  });
  context.after(() => rewriter.close());
  const refusing = database.url.replace(`:${postgres.port}/`, `:${rewriter.port}/`);
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
  const blind = database.url.replace(`:${postgres.port}/`, `:${rewriter.port}/`);
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
