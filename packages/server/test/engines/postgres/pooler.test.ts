import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  findPgBouncers,
  type PgBouncerProgram,
  preparesFrom,
  startPgBouncer,
  type TestPgBouncer,
  transactionMode,
} from 'basedrive-acceptance/services/pgbouncer.js';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { Client, DatabaseError } from 'pg';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { readHosts } from '../../../src/engines/postgres/hosts.js';
import { openPostgresPool, type PostgresPool } from '../../../src/engines/postgres/pool.js';
import { migrateSchema } from '../../../src/engines/postgres/schema.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { doctor } from '../../support/doctor.js';
import { freshDatabase, keysOf, throughPort } from '../../support/postgres-databases.js';

const ignoring =
  'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout';
const programs = await findPgBouncers();
const newest = programs[0];
const oldest = programs.at(-1);

/** The ways in which a PgBouncer may stand in front of the database, with a program that can do so. */
const ways: {
  name: string;
  program: PgBouncerProgram | undefined;
  isPrepared: boolean;
  settings: string[];
}[] = [
  {
    name: 'that keeps prepared statements',
    program: newest !== undefined && newest.minor >= preparesFrom ? newest : undefined,
    isPrepared: true,
    settings: [],
  },
  { name: 'that keeps none', program: oldest, isPrepared: false, settings: [] },
  { name: 'that ignores limits of time', program: oldest, isPrepared: false, settings: [ignoring] },
];

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const put = (store: ItemStore, key: string) =>
  store.transact('s', [], () => ({ puts: [{ key, value: Buffer.from('1') }], result: undefined }));

/** The settings that are in force, as `name=value`. */
async function settingsOf(pooler: TestPgBouncer): Promise<readonly string[]> {
  const client = new Client({ connectionString: pooler.url('pgbouncer') });
  await client.connect();
  const { rows } = await client.query('SHOW CONFIG');
  await client.end();
  return (rows as { key: string; value: string }[]).map(({ key, value }) => `${key}=${value}`);
}

/** The code of the database's error that led to this one. */
function codeOf(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (error instanceof DatabaseError) return error.code;
  return undefined;
}

for (const { name: way, program, isPrepared, settings } of ways) {
  const isRequired = process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1';
  if (program === undefined && isRequired)
    throw new Error(`A PgBouncer ${way} is required, but not installed`);
  const skip = program === undefined && 'such a PgBouncer is not installed (BASEDRIVE_TEST_PGBOUNCER)';

  describe(`through a PgBouncer in transaction mode ${way}`, { skip }, () => {
    let pooler: TestPgBouncer;
    before(async () => {
      if (program === undefined) return;
      const inMode = transactionMode(program, isPrepared);
      pooler = await startPgBouncer({ program, target: postgres.port, settings: [...inMode, ...settings] });
    });
    after(() => pooler?.stop());

    async function pooled(): Promise<{ name: string; url: string; direct: string }> {
      const { name, url } = await freshDatabase(postgres);
      return { name, url: throughPort(url, pooler.port), direct: url };
    }

    async function withPool(
      url: string,
      statementTimeoutMs: number,
      work: (pool: PostgresPool) => Promise<void>,
    ): Promise<void> {
      const pool = openPostgresPool({ hosts: readHosts(url), poolSize: 2, statementTimeoutMs });
      try {
        await work(pool);
      } finally {
        await pool.close();
      }
    }

    test('several servers write and read, each with more connections than there are sessions', async () => {
      const { url } = await pooled();
      const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore({ url })));
      try {
        const writes = Array.from({ length: 400 }, async (_, n) => {
          const store = stores[n % 4] as ItemStore;
          await put(store, `blind${n}`);
          const insert = () => ({ puts: [{ key: `read${n}`, value: Buffer.from('1') }], result: undefined });
          await store.transact(`t${n % 7}`, [`read${n}`], insert);
        });
        await Promise.all(writes);
        for (const store of stores) assert.equal((await keysOf(store)).length, 400);
      } finally {
        await Promise.all(stores.map((store) => store.close()));
      }
    });

    test('the database ends a statement that waits for a lock, or takes too long, and limits nobody else', async () => {
      const { url, direct } = await pooled();
      const store = await openPostgresStore({ url, statementTimeoutMs: 400 });
      await put(store, 'k');
      const holder = new Client({ connectionString: direct });
      await holder.connect();
      await holder.query('BEGIN; DELETE FROM basedrive_rows');
      for (const write of [
        () => put(store, 'k'),
        () => store.transact('s', ['k'], () => ({ deletes: ['k'], result: undefined })),
      ]) {
        await assert.rejects(write(), (cause) => {
          assert.equal(codeOf(cause), '55P03', String(cause));
          return true;
        });
      }
      await holder.end();
      await put(store, 'k');
      await store.close();
      await withPool(url, 200, async (pool) => {
        const sleep = { name: 'sleep', text: 'SELECT pg_sleep(30)' };
        await assert.rejects(pool.run(sleep), { code: '57014' });
        await assert.rejects(
          pool.transact('BEGIN', ({ run }) => run(sleep)),
          { code: '57014' },
        );
      });
      const other = new Client({ connectionString: url });
      await other.connect();
      const { rows } = await other.query(
        `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement`,
      );
      assert.deepEqual(rows, [{ lock: '0', statement: '0' }]);
      await other.end();
    });

    test('limits that the role has are not sent again', async () => {
      const without = await pooled();
      await withPool(without.url, 10_000, async (pool) => {
        const { isPooled, limitTime } = await pool.traits();
        assert.ok(isPooled);
        assert.match(limitTime, /SET LOCAL lock_timeout = 5000/);
      });
      // A session that began before would have the old settings.
      const { name, url, direct } = await pooled();
      for (const [setting, value] of [
        ['statement_timeout', '10s'],
        ['lock_timeout', '4s'],
        ['idle_in_transaction_session_timeout', '30s'],
      ]) {
        await postgres.ask(`ALTER ROLE postgres IN DATABASE ${name} SET ${setting} = '${value}'`);
      }
      await withPool(url, 10_000, async (pool) => assert.equal((await pool.traits()).limitTime, ''));
      await withPool(url, 5000, async (pool) => assert.notEqual((await pool.traits()).limitTime, ''));
      await withPool(direct, 10_000, async (pool) => {
        assert.deepEqual(await pool.traits(), { isPooled: false, keepsStatements: true, limitTime: '' });
      });
    });

    test('the tables are made by one of several at the same time, and no lock stays', async () => {
      const name = `migrated${pooler.port}`;
      await postgres.createDatabase(name);
      const url = pooler.url(name);
      const reports = await Promise.all(Array.from({ length: 5 }, () => migrateSchema(url)));
      assert.equal(reports.filter((done) => done.length > 0).length, 1);
      assert.deepEqual(await migrateSchema(url), []);
      assert.deepEqual(await postgres.ask(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`), [
        '0',
      ]);
    });

    test('a transaction that fails after a failure is tried again on the same connection', async () => {
      const { url } = await pooled();
      await withPool(url, 10_000, async (pool) => {
        const fails = { name: 'fails', text: 'SELECT 1 / 0' };
        const later = { name: 'later', text: 'SELECT pg_backend_pid() AS pid' };
        for (let round = 0; round < 3; round++) {
          await assert.rejects(
            pool.transact('BEGIN', async ({ run }) => {
              await Promise.all([run(fails), run(later)]);
            }),
            { code: '22012' },
          );
        }
        assert.equal((await pool.run(later)).rows.length, 1);
        assert.equal((await pool.run(later)).rows.length, 1);
      });
    });

    const skip = !isPrepared && 'it keeps none from the start';
    test('when it keeps prepared statements no more, or again, calls answer after a while', {
      skip,
    }, async () => {
      assert.ok(program !== undefined);
      const { url } = await pooled();
      const store = await openPostgresStore({ url });
      const tryOne = async () => {
        try {
          await store.transact('s', ['k'], () => ({
            puts: [{ key: 'k', value: Buffer.from('1') }],
            result: true,
          }));
          assert.deepEqual(await keysOf(store), ['k']);
          return true;
        } catch (cause) {
          assert.ok(cause instanceof StorageUnavailable, String(cause));
          return false;
        }
      };
      /** Until all connections must have been used. */
      const allAnswer = async () => {
        let inARow = 0;
        while (inARow < 3) {
          const answers = await Promise.all(Array.from({ length: 20 }, tryOne));
          inARow = answers.every(Boolean) ? inARow + 1 : 0;
        }
      };
      await allAnswer();
      for (const keeps of [false, true]) {
        await pooler.configure([...transactionMode(program, keeps), ...settings]);
        const shown = `max_prepared_statements=${keeps ? 200 : 0}`;
        while (!(await settingsOf(pooler)).includes(shown)) await allAnswer();
        await allAnswer();
      }
      await store.close();
    });

    test('the doctor says what it costs', async () => {
      const { url } = await pooled();
      const { code, of } = await doctor(['--items', url, '--blobs', '/tmp']);
      assert.equal(code, 0);
      const { verdict, found, advice } = of('pooler');
      assert.equal(verdict, 'warning');
      assert.equal(found.includes('prepared statements'), !isPrepared);
      assert.match(found, /time limits/);
      assert.match(
        advice ?? '',
        /ALTER ROLE "postgres" SET statement_timeout = '10s'; .*lock_timeout = '5s'/,
      );
      assert.equal(advice?.includes('max_prepared_statements'), !isPrepared);
    });
  });
}
