import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { Client } from 'pg';
import { readLogValue } from '../../../src/engines/change-log.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { createTails } from '../../../src/feed/tails.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

const space = 'base/demo/users';
const log = 'changes/demo';
const rules = {
  notedRows: (of: string) => (of === space ? { log, isNoted: () => true } : undefined),
  clock: Date.now,
  generation: '1',
};

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

async function keysBetween(store: ItemStore, gte: string, lt: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const rows of store.scan(log, { gte, lt })) {
    for (const { value } of rows) keys.push(...(readLogValue(value).keys[space] ?? []));
  }
  return keys;
}

const put = (store: ItemStore, key: string) =>
  store.transact(space, [], () => ({ puts: [{ key, value: Buffer.from('x') }], result: null }));

/** A transaction that has its number may commit after others that got theirs later. */
test('a reader waits for a commit that began before those that it sees', async () => {
  const { url } = await freshDatabase(postgres);
  const slow = new Client({ connectionString: url });
  await slow.connect();
  try {
    await withStoresAt([url, url], async ([first, second]) => {
      assert.ok(first && second);
      const reader = await first.keepChanges?.(rules);
      await second.keepChanges?.(rules);
      assert.ok(reader);
      const begin = await reader.complete();
      await slow.query('BEGIN');
      await slow.query(
        `INSERT INTO basedrive_rows (space, key, value)
          VALUES ($1, convert_to(lpad(pg_current_xact_id()::text, 20, '0'), 'UTF8'), $2)`,
        [log, Buffer.from(JSON.stringify([0, { [space]: ['slow'] }]))],
      );
      await put(second, 'quick');
      const middle = await reader.complete();
      const early = await keysBetween(first, begin, middle);
      await slow.query('COMMIT');
      await put(second, 'last');
      const rest = await keysBetween(first, middle, await reader.complete());
      assert.deepEqual([...early, ...rest].toSorted(), ['last', 'quick', 'slow']);
    });
  } finally {
    await slow.end();
  }
});

/** What ends a transaction that was rolled back is not flushed, so a crash gives its number once more. */
test('no number that a crash gives again is below what was complete', async () => {
  const { url } = await freshDatabase(postgres);
  for (let round = 0; round < 3; round++) {
    let complete = '';
    await withStoresAt([url], async ([store]) => {
      const reader = await store?.keepChanges?.(rules);
      assert.ok(store && reader);
      await put(store, 'before');
      const client = new Client({ connectionString: url });
      await client.connect();
      for (let n = 0; n < 5; n++) {
        await client.query('BEGIN');
        await client.query('SELECT pg_current_xact_id()');
        await client.query('ROLLBACK');
      }
      await client.end();
      complete = await reader.complete();
    });
    await postgres.kill();
    await postgres.restart();
    await withStoresAt([url], async ([store]) => {
      const reader = await store?.keepChanges?.(rules);
      assert.ok(store && reader);
      await put(store, `after ${round}`);
      assert.deepEqual(await keysBetween(store, complete, await reader.complete()), [`after ${round}`]);
    });
  }
});

/** The place after a full page is behind the header of the next one, which is not on the disk yet. */
test('a change that ends a page of the log of the database is complete at once', async () => {
  const { url } = await freshDatabase(postgres);
  const client = new Client({ connectionString: url });
  await client.connect();
  const numberOf = async (sql: string, values: readonly number[] = []): Promise<number> =>
    Number((await client.query<{ n: string }>(`SELECT ${sql} AS n`, [...values])).rows[0]?.n);
  const place = () => numberOf("pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
  const emit = (bytes: number) =>
    numberOf("pg_wal_lsn_diff(pg_logical_emit_message(false, '', repeat('x', $1::int)), '0/0')", [bytes]);
  try {
    await withStoresAt([url], async ([store]) => {
      const reader = await store?.keepChanges?.(rules);
      assert.ok(store && reader);
      const begin = await reader.complete();
      const pageBytes = await numberOf("current_setting('wal_block_size')");
      const headerBytes = 24;
      const emptyMessageBytes = 56;
      let n = 0;
      do {
        const before = await place();
        await put(store, `key ${++n}`);
        const after = await place();
        const left = pageBytes - (after % pageBytes) - (after - before) - emptyMessageBytes;
        if (left > 0) await emit(left);
        await put(store, `key ${++n}`);
      } while ((await place()) % pageBytes !== headerBytes && n < 5000);
      const keys = await keysBetween(store, begin, await reader.complete());
      assert.equal(keys.at(-1), `key ${n}`);
    });
  } finally {
    await client.end();
  }
});

test('who begins to read finds what was acknowledged before, and waits for no transaction that does not end', async () => {
  const { url } = await freshDatabase(postgres);
  const slow = new Client({ connectionString: url });
  await slow.connect();
  try {
    await withStoresAt([url], async ([store]) => {
      assert.ok(store);
      const reader = await store.keepChanges?.(rules);
      assert.ok(reader);
      const tails = createTails(store, reader);
      try {
        const begin = await reader.complete();
        await slow.query('BEGIN; SELECT pg_current_xact_id()');
        await put(store, 'quick');
        let hasEnded = false;
        const joined = tails.join(log).then(async ({ leave }) => {
          leave();
          return { hasEnded, keys: await keysBetween(store, begin, await reader.complete()) };
        });
        // Time enough for a reader that does not wait.
        for (let n = 0; n < 5; n++) await reader.complete();
        hasEnded = true;
        await slow.query('COMMIT');
        assert.deepEqual(await joined, { hasEnded: true, keys: ['quick'] });

        await slow.query('BEGIN; SELECT pg_current_xact_id()');
        await put(store, 'later');
        (await tails.join(log)).leave();
        await slow.query('COMMIT');
      } finally {
        tails.stop();
      }
    });
  } finally {
    await slow.end();
  }
});

test('a header that appears meanwhile leaves nothing noted of a write that was not done', async () => {
  const { url } = await freshDatabase(postgres);
  await withStoresAt([url], async ([store]) => {
    assert.ok(store);
    const reader = await store.keepChanges?.(rules);
    assert.ok(reader);
    await store.transact(space, ['\0'], () => ({
      puts: [{ key: '\0', value: Buffer.from('h') }],
      result: null,
    }));
    const begin = await reader.complete();
    const seen: boolean[] = [];
    await store.transact(space, ['\0'], ([header]) => {
      seen.push(header !== undefined);
      return header === undefined
        ? { puts: [{ key: 'wrong', value: Buffer.from('x') }], result: null }
        : { puts: [{ key: 'right', value: Buffer.from('x') }], result: null };
    });
    assert.deepEqual(seen, [false, true]);
    assert.deepEqual(await keysBetween(store, begin, await reader.complete()), ['right']);
  });
});
