import { setTimeout } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { OperatorError } from '../../operator-error.js';
import { checkDistribution, distributeRows } from './citus.js';
import { openFailure, schemaMissing } from './errors.js';
import { readHosts } from './hosts.js';
import type { Run } from './pool.js';

/** Increased when an older server could no longer work with the tables. */
const version = 1;

/**
 * These statements can run any number of times, also concurrently. `ASC` is for databases that would otherwise hash an
 * index; nothing here is specific to one database.
 */
const tables = [
  `CREATE TABLE IF NOT EXISTS basedrive_rows (
    space bytea NOT NULL, key bytea NOT NULL, value bytea NOT NULL, due bigint, PRIMARY KEY (space, key))`,
  `CREATE INDEX IF NOT EXISTS basedrive_rows_due ON basedrive_rows (due ASC, space ASC, key ASC) WHERE due IS NOT NULL`,
  `CREATE TABLE IF NOT EXISTS basedrive_schema (version integer PRIMARY KEY)`,
  `INSERT INTO basedrive_schema (version) VALUES (${version}) ON CONFLICT (version) DO NOTHING`,
];

/** The number of the advisory lock of all migrations: "Based" in ASCII. */
const lockNumber = 0x4261736564;
const maxAttempts = 20;
const maxPauseMs = 250;
const lockTimeoutMs = 60_000;
/** Two migrations at the same time can conflict in the database's catalog, in spite of `IF NOT EXISTS`. */
const conflictCodes = new Set(['23505', '40001', '40P01', '42P07', '42710', 'XX000']);

/**
 * Creates the tables, or migrates them to this version, and gives a sentence for each change. Several processes may
 * call it at once: they wait for each other if the database has advisory locks, and try again if it has none. Throws
 * `OperatorError`, or `StorageUnavailable`.
 */
export async function migrateSchema(url: string): Promise<readonly string[]> {
  const hosts = readHosts(url);
  for (let attempt = 1; ; attempt++) {
    try {
      const { url: connectionString } = hosts.needsPrimary ? await hosts.find() : hosts.current;
      return await migrateAt(connectionString);
    } catch (cause) {
      const isConflict = cause instanceof DatabaseError && conflictCodes.has(cause.code ?? '');
      if (!isConflict || attempt === maxAttempts) throw openFailure(cause);
      await setTimeout(Math.random() * maxPauseMs);
    }
  }
}

async function migrateAt(connectionString: string): Promise<readonly string[]> {
  const client = new Client({
    connectionString,
    application_name: 'basedrive migrate',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const isLocked = await begin(client);
    const done = await migrate(client);
    if (isLocked) await client.query('COMMIT');
    return done;
  } finally {
    await client.end().catch(() => {});
  }
}

async function migrate(client: Client): Promise<string[]> {
  const done: string[] = [];
  const found = await versionOf(client);
  if (found !== undefined && found > version) throw newerVersion(found);
  if (found !== version) {
    for (const statement of tables) await client.query(statement);
    done.push(`made the tables basedrive_rows and basedrive_schema (version ${version})`);
  }
  if (await distributeRows(({ text }) => client.query(text))) {
    done.push('distributed basedrive_rows over the shards by space');
  }
  return done;
}

/**
 * Begins the transaction of the migration, which holds the lock until it ends: a lock of the session would stay on the
 * connection of a pooler. The wait is limited, the work is not: it may take long on large tables. Some databases ignore
 * such locks; those that have none migrate without a transaction. Gives whether there is one.
 */
async function begin(client: Client): Promise<boolean> {
  await client.query(
    `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
      SET LOCAL lock_timeout = ${lockTimeoutMs}`,
  );
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    return true;
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || !['0A000', '42883'].includes(cause.code ?? '')) throw cause;
    await client.query('ROLLBACK');
    return false;
  }
}

/** CockroachDB's `integer` is an `int8`, which the driver would give as text. */
async function versionOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query(
    `SELECT table_name FROM information_schema.tables
      WHERE table_name = 'basedrive_schema' AND table_schema = ANY (current_schemas(false))`,
  );
  if (rows.length === 0) return undefined;
  const found = await client.query('SELECT max(version)::int4 AS version FROM basedrive_schema');
  return (found.rows[0] as { version: number | null }).version ?? undefined;
}

/**
 * Called before a server starts. Checks that it knows the version of the tables, that an acknowledged commit is on
 * stable storage, and that the distribution of the rows lets the engine keep its contract. Throws `OperatorError`.
 */
export async function checkSchema(run: Run): Promise<void> {
  const { rows } = await run({
    name: 'schema',
    text: `SELECT max(version)::int4 AS version, current_setting('synchronous_commit', true) AS synchronous,
      current_setting('fsync', true) AS fsync FROM basedrive_schema`,
  });
  const found = rows[0] as { version: number | null; synchronous: string | null; fsync: string | null };
  if (found.version === null) throw schemaMissing();
  if (found.version > version) throw newerVersion(found.version);
  for (const [name, value] of [
    ['synchronous_commit', found.synchronous],
    ['fsync', found.fsync],
  ]) {
    if (value !== 'off') continue;
    throw new OperatorError(
      `The database has ${name} = off, so it can lose what it acknowledges: set it to on, at least for this user`,
    );
  }
  await checkDistribution(run);
}

function newerVersion(found: number): OperatorError {
  return new OperatorError(
    `The tables have version ${found}, and this Basedrive knows versions up to ${version}: use a newer Basedrive`,
  );
}
