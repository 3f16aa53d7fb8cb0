import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isPooled, startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { headerKey } from '../../../src/engines/item-store.js';
import { migrateSchema } from '../../../src/engines/postgres/schema.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { migrateItems, openItems } from '../../../src/engines/registry.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { OperatorError } from '../../../src/operator-error.js';
import { freshDatabase, keysOf, withStoresAt } from '../../support/postgres-databases.js';

const password = 's3cretpassword';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
  await guard();
});
after(() => postgres.stop());

test('a database without tables is refused with the command that makes them, which ten may run at the same time', async () => {
  const url = await postgres.createDatabase('without_tables');
  await assert.rejects(
    openPostgresStore({ url }),
    (cause) => cause instanceof OperatorError && /basedrive migrate/.test(cause.message),
  );
  const reports = await Promise.all(Array.from({ length: 10 }, () => migrateSchema(url)));
  assert.equal(reports.filter((done) => done.length > 0).length, 1);
  await (await openPostgresStore({ url })).close();
});

/** Those of CockroachDB are: its `integer` is an `int8`, which the driver gives as text. */
test('tables whose version is a larger integer are not made again, and a newer version of them is refused', async () => {
  const { name, url } = await freshDatabase(postgres);
  await postgres.ask('ALTER TABLE basedrive_schema ALTER version TYPE int8', name);
  assert.deepEqual(await migrateSchema(url), []);
  await (await openPostgresStore({ url })).close();
  await postgres.ask('INSERT INTO basedrive_schema VALUES (1000)', name);
  for (const opening of [() => migrateSchema(url), () => openPostgresStore({ url })])
    await assert.rejects(opening, { name: 'OperatorError', message: /^The tables have version 1000, / });
});

test('a database that can lose what it acknowledges is refused', async () => {
  const { url } = await freshDatabase(postgres);
  await assert.rejects(
    openPostgresStore({ url: `${url}?options=-c%20synchronous_commit%3Doff` }),
    (cause) => cause instanceof OperatorError && /synchronous_commit/.test(cause.message),
  );
});

test('a database that fails to tell its state keeps no changes until the operator has decided', async () => {
  const { name, url } = await freshDatabase(postgres);
  const own = 'public.pg_control_system()';
  await postgres.ask(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  await withStoresAt([url], async ([store]) => {
    const keep = () => store?.keepChanges?.({ notedRows: () => undefined, clock: Date.now, generation: '1' });
    for (const code of ['58P01', '58030', 'XX000']) {
      await postgres.ask(
        `CREATE OR REPLACE FUNCTION ${own} RETURNS TABLE (system_identifier bigint) LANGUAGE plpgsql
          AS $$ BEGIN RAISE 'no such file' USING ERRCODE = '${code}'; END $$`,
        name,
      );
      await assert.rejects(async () => keep(), {
        name: 'OperatorError',
        message: /: no such file\. .*REVOKE EXECUTE .*--keep-changes 0$/,
      });
    }
    await postgres.ask(`DROP FUNCTION ${own}`, name);
    const kept = await keep();
    assert.notEqual(kept?.order?.().name, '');
  });
});

test('a database that does not answer is unavailable, and no error holds the password', async () => {
  await assert.rejects(openPostgresStore({ url: 'postgres://me:s3cret@127.0.0.1:1/none' }), (cause) => {
    assert.ok(cause instanceof StorageUnavailable);
    assert.ok(!String(cause.stack).includes('s3cret'));
    return true;
  });
});

function isUnavailableWithoutPassword(cause: unknown): boolean {
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

test('the user and the password may come from PGUSER and PGPASSWORD, also for an address without a host', async () => {
  const { name } = await freshDatabase(postgres);
  const variables = { PGUSER: 'guarded', PGPASSWORD: password };
  const wrong = { ...variables, PGPASSWORD: `not${password}` };
  for (const address of [
    `postgres://127.0.0.1:${postgres.port}/${name}`,
    `postgres:///${name}?host=127.0.0.1&port=${postgres.port}`,
  ]) {
    assert.deepEqual(await migrateItems(address, variables), []);
    const store = await openItems({ address, variables, create: false });
    assert.deepEqual(await keysOf(store), []);
    await store.close();
    await assert.rejects(
      openItems({ address, variables: wrong, create: false }),
      /password authentication failed/,
    );
  }
});

test('a wrong password or a missing database is unavailable, and no error holds the password', async () => {
  const { url } = await freshDatabase(postgres);
  const guarded = url.replace('postgres@', `guarded:${password}@`);
  await withStoresAt([guarded], async ([store]) => {
    assert.ok(store !== undefined);
    assert.deepEqual(await keysOf(store), []);
  });
  const wrong = guarded.replace(password, `not${password}`);
  const absent = `${guarded}_that_is_not_there`;
  for (const address of [wrong, absent]) {
    await assert.rejects(openPostgresStore({ url: address }), isUnavailableWithoutPassword);
    await assert.rejects(migrateSchema(address), isUnavailableWithoutPassword);
  }
});

// A pooler has no options for the session of one client.
const skip = isPooled && 'a pooler is in between';
test('settings of the role that change how statements are read or isolated change nothing', {
  skip,
}, async () => {
  const { url } = await freshDatabase(postgres);
  const settings = {
    standard_conforming_strings: 'off',
    backslash_quote: 'off',
    array_nulls: 'off',
    bytea_output: 'escape',
    datestyle: 'German',
    timezone: 'Asia/Kathmandu',
    extra_float_digits: '-10',
    default_transaction_isolation: 'serializable',
  };
  const words = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  await withStoresAt([`${url}?options=${encodeURIComponent(words.join(' '))}`], async ([store]) => {
    assert.ok(store !== undefined);
    const value = Buffer.from([0, 39, 92, 255]);
    const puts = Array.from({ length: 40 }, (_, n) => ({ key: `k\\'\0${n}`, value, dueSeconds: n }));
    await store.transact('s', [headerKey], () => ({ puts, result: undefined }));
    await store.transact('s', ['one'], () => ({ puts: [{ key: 'one', value }], result: undefined }));
    assert.deepEqual(await store.get('s', puts[0]?.key ?? ''), value);
    assert.equal((await keysOf(store)).length, 41);
    assert.equal((await store.due(100, 100)).length, 40);
  });
});
