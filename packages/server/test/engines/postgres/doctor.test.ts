import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { Client } from 'pg';
import { examinePostgres } from '../../../src/engines/postgres/examine.js';
import { migrateSchema } from '../../../src/engines/postgres/schema.js';
import { clockAhead, type Diagnosis, doctor } from '../../support/doctor.js';

const password = 's3cretpassword';

let postgres: TestPostgres;
let url: string;

before(async () => {
  postgres = await startPostgres({
    settings: ['max_connections=20', 'superuser_reserved_connections=3', 'max_prepared_transactions=2'],
  });
  url = await postgres.createDatabase('rows');
  await migrateSchema(url);
});
after(() => postgres.stop());

/** The address with another user, password, or options. */
function changed(changes: { user?: string; password?: string; database?: string; options?: string }): string {
  const other = new URL(url);
  if (changes.user !== undefined) other.username = changes.user;
  if (changes.password !== undefined) other.password = changes.password;
  if (changes.database !== undefined) other.pathname = changes.database;
  if (changes.options !== undefined) other.searchParams.set('options', changes.options);
  return other.href;
}

async function look(items: string, variables: NodeJS.ProcessEnv = {}): Promise<Diagnosis> {
  const found = await doctor(['--items', items, '--blobs', '/tmp'], variables);
  return found;
}

async function failure(items: string): Promise<string> {
  const { code, of } = await look(items);
  assert.equal(code, 1);
  const { verdict, found, advice } = of('rows');
  assert.equal(verdict, 'failed');
  assert.doesNotMatch(found, new RegExp(password));
  return `${found} → ${advice}`;
}

test('a database that fits is in order', async () => {
  const { code, of } = await look(url);
  assert.equal(code, 0);
  for (const subject of ['rows', 'database clock', 'connections']) assert.equal(of(subject).verdict, 'ok');
  assert.equal(of('connections').found, '17 allowed, 17 free; each server takes up to 10');
});

test('a wrong password, no such user, no such database and missing tables are failures, each with what to do', async () => {
  await postgres.ask(`CREATE ROLE guarded LOGIN PASSWORD '${password}'`);
  const [file = ''] = await postgres.ask('SHOW hba_file');
  const { readFile, writeFile } = await import('node:fs/promises');
  const open = await readFile(file, 'utf8');
  await writeFile(file, `host all guarded 127.0.0.1/32 scram-sha-256\n${open}`);
  await postgres.ask('SELECT pg_reload_conf()');
  assert.match(
    await failure(changed({ user: 'guarded', password: `${password}not` })),
    /password authentication failed for user "guarded" → Correct the user and the password/,
  );
  assert.match(await failure(changed({ user: 'nobody' })), /role "nobody" does not exist → Let the user in/);
  assert.match(
    await failure(changed({ database: 'none' })),
    /"none" does not exist → Create the database, or/,
  );
  const empty = await postgres.createDatabase('without_tables');
  assert.match(await failure(empty), /lacks the tables: run `basedrive migrate` with the same --items/);
  assert.match(
    await failure(changed({ user: 'guarded', password })),
    /The database refuses the user: permission denied for .* → Grant the user the rights to the tables/,
  );
});

test('a database that can lose what it acknowledges, or takes no writes, is a failure', async () => {
  assert.match(
    await failure(changed({ options: '-c synchronous_commit=off' })),
    /has synchronous_commit = off, so it can lose what it acknowledges: set it to on/,
  );
  await postgres.ask('ALTER SYSTEM SET fsync = off');
  await postgres.ask('SELECT pg_reload_conf()');
  try {
    assert.match(await failure(url), /has fsync = off, so it can lose what it acknowledges: set it to on/);
  } finally {
    await postgres.ask('ALTER SYSTEM RESET fsync');
    await postgres.ask('SELECT pg_reload_conf()');
  }
  const { code, of } = await look(changed({ options: '-c default_transaction_read_only=on' }));
  assert.equal(code, 1);
  assert.equal(of('database').verdict, 'failed');
  assert.match(of('database').found, /^it takes no writes: it is a standby, or read-only by a setting/);
});

test('a user without rights, and too few connections for a server, are failures; too few that are free are a warning', async () => {
  await postgres.ask('CREATE ROLE few LOGIN CONNECTION LIMIT 9');
  await postgres.ask('GRANT SELECT ON ALL TABLES IN SCHEMA public TO few', 'rows');
  const few = await look(changed({ user: 'few' }));
  assert.equal(few.code, 1);
  assert.equal(few.of('connections').verdict, 'failed');
  assert.match(few.of('connections').found, /^9 allowed, 9 free; each server takes up to 10$/);
  assert.equal(few.of('rights').verdict, 'failed');
  assert.match(
    few.of('rights').advice ?? '',
    /^GRANT SELECT, INSERT, UPDATE, DELETE ON basedrive_rows TO "few"$/,
  );
  await postgres.ask('GRANT ALL ON ALL TABLES IN SCHEMA public TO few', 'rows');
  const granted = await look(changed({ user: 'few' }));
  assert.throws(() => granted.of('rights'));
  assert.match(few.of('connections').advice ?? '', /^Raise max_connections of the database/);

  const others = Array.from({ length: 8 }, () => new Client({ connectionString: url }));
  try {
    for (const other of others) await other.connect();
    const busy = await look(url);
    assert.equal(busy.code, 0);
    assert.equal(busy.of('connections').verdict, 'warning');
    assert.match(busy.of('connections').found, /^17 allowed, 9 free;/);
  } finally {
    for (const other of others) await other.end();
  }
});

test('a database that has no connection left is a failure with what to do', async () => {
  await postgres.ask('CREATE ROLE one LOGIN CONNECTION LIMIT 1');
  await postgres.ask('GRANT SELECT ON ALL TABLES IN SCHEMA public TO one', 'rows');
  const other = new Client({ connectionString: changed({ user: 'one' }) });
  await other.connect();
  try {
    assert.match(
      await failure(changed({ user: 'one' })),
      /too many connections for role "one" → Raise max_connections of the database, or end what holds/,
    );
  } finally {
    await other.end();
  }
});

test('a clock that differs from that of the database is named, and a failure beyond a quarter of an hour', async () => {
  const little = await look(url, clockAhead(120));
  assert.equal(little.of('database clock').verdict, 'warning');
  assert.match(little.of('database clock').found, /^the clock of this machine is 1(19|2[0-9]) s ahead$/);
  const much = await look(url, clockAhead(-3600));
  assert.equal(much.code, 1);
  assert.equal(much.of('database clock').verdict, 'failed');
  assert.match(much.of('database clock').found, /^the clock of this machine is 3,[56]\d\d s behind$/);
});

test('a transaction that has written and does not end is named: nobody gets the changes after it', async () => {
  const warningOf = async () => (await examinePostgres(url)).find(({ subject }) => subject === 'changes');
  /** What is said of the transaction as soon as it is too old. */
  const heldUp = async () => {
    for (;;) {
      const found = await warningOf();
      if (found !== undefined) return `${found.verdict}: ${found.found} → ${found.advice}`;
      await wait(100);
    }
  };
  assert.equal(await warningOf(), undefined);
  const other = await postgres.createDatabase('elsewhere');
  const client = new Client({ connectionString: other });
  await client.connect();
  try {
    await client.query('CREATE TABLE t (n int)');
    await client.query('BEGIN; INSERT INTO t VALUES (1)');
    assert.match(
      await heldUp(),
      /^warning: a transaction of user postgres in database elsewhere has been open for \d+ s: .* → .*SELECT pg_terminate_backend\(\d+\)$/,
    );
    await client.query(`PREPARE TRANSACTION 'left over'`);
    assert.match(
      await heldUp(),
      /^warning: a transaction that is prepared as 'left over', in database elsewhere, .*ROLLBACK PREPARED 'left over'$/,
    );
    await client.query(`ROLLBACK PREPARED 'left over'`);
    // One that only reads holds nothing up.
    await client.query('BEGIN; SELECT * FROM t');
    assert.equal(await warningOf(), undefined);
  } finally {
    await client.end();
  }
});
