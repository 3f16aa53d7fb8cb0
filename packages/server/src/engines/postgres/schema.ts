import { setTimeout } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { OperatorError } from '../../operator-error.js';
import { rowsFailure, schemaMissing } from './errors.js';
import type { Run } from './pool.js';

/** How Citus is to spread the rows: a space on one shard, or every space over all shards. */
export type Distribution = 'by-space' | 'by-key';

export interface MigrationReport {
  /** What was done, a sentence each; empty when everything was there. */
  readonly done: readonly string[];
}

/** Raised when a server of an older version could not work with the tables any more. */
const version = 1;

/**
 * Says itself again without harm, so that any number may run at once. `ASC` is for databases that would spread an
 * index by a hash; nothing here is special to one of them.
 */
const tables = [
  `CREATE TABLE IF NOT EXISTS basedrive_rows (
    space bytea NOT NULL, key bytea NOT NULL, value bytea NOT NULL, due bigint, PRIMARY KEY (space, key))`,
  `CREATE INDEX IF NOT EXISTS basedrive_rows_due ON basedrive_rows (due ASC, space ASC, key ASC) WHERE due IS NOT NULL`,
  `CREATE TABLE IF NOT EXISTS basedrive_schema (version integer PRIMARY KEY)`,
  `INSERT INTO basedrive_schema (version) VALUES (${version}) ON CONFLICT (version) DO NOTHING`,
];

/** One number for all who migrate: "Based" in ASCII. */
const lockNumber = 0x4261736564;
const maxAttempts = 20;
const pauseMs = 250;
const lockTimeoutMs = 60_000;
/** Two that make a table at once can meet in the catalogue, whatever `IF NOT EXISTS` says. */
const meetings = new Set(['23505', '40001', '40P01', '42P07', '42710', 'XX000']);

/**
 * Makes the tables, or brings them to this version. Safe when many do it at once: they wait for each other where the
 * database has advisory locks, and try again where it has not. Throws `OperatorError`, or `StorageUnavailable`.
 */
export async function migrateSchema(
  url: string,
  { distribute = 'by-space' }: { readonly distribute?: Distribution } = {},
): Promise<MigrationReport> {
  for (let attempt = 1; ; attempt++) {
    const client = new Client({
      connectionString: url,
      application_name: 'basedrive migrate',
      connectionTimeoutMillis: 5000,
      // For another one who is at it. Work itself may take long on large tables.
      lock_timeout: lockTimeoutMs,
      keepAlive: true,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return { done: await migrate(client, distribute) };
    } catch (cause) {
      const isMeeting = cause instanceof DatabaseError && meetings.has(cause.code ?? '');
      if (!isMeeting || attempt === maxAttempts) throw rowsFailure(cause);
      await setTimeout(Math.random() * pauseMs);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

async function migrate(client: Client, distribute: Distribution): Promise<string[]> {
  const done: string[] = [];
  await lock(client);
  const before = await versionOf(client);
  if (before !== undefined && before > version) throw newer(before);
  if (before !== version) {
    for (const statement of tables) await client.query(statement);
    done.push(`made the tables basedrive_rows and basedrive_schema (version ${version})`);
  }
  if (await isUndistributedCitus(client)) {
    const column = distribute === 'by-space' ? 'space' : 'key';
    await client.query(`SELECT create_distributed_table('basedrive_rows', '${column}')`);
    done.push(`distributed basedrive_rows over the shards by its ${column}`);
  }
  return done;
}

/** Held until the connection ends. Some databases have none, or take it for nothing. */
async function lock(client: Client): Promise<void> {
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockNumber]);
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || !['0A000', '42883'].includes(cause.code ?? '')) throw cause;
  }
}

async function versionOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query(
    `SELECT table_name FROM information_schema.tables
      WHERE table_name = 'basedrive_schema' AND table_schema = ANY (current_schemas(false))`,
  );
  if (rows.length === 0) return undefined;
  const found = await client.query('SELECT max(version) AS version FROM basedrive_schema');
  return (found.rows[0] as { version: number | null }).version ?? undefined;
}

async function isUndistributedCitus(client: Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`);
  if (rows.length === 0) return false;
  const table = await client.query(
    `SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'basedrive_rows'::regclass`,
  );
  return table.rows.length === 0;
}

/**
 * Before a server begins: the tables are of a version that it knows, and a commit is on stable storage when the
 * database says so. Throws `OperatorError`.
 */
export async function checkSchema(run: Run): Promise<void> {
  const { rows } = await run({
    name: 'schema',
    text: `SELECT max(version) AS version, current_setting('synchronous_commit', true) AS synchronous,
      current_setting('fsync', true) AS fsync FROM basedrive_schema`,
  });
  const found = rows[0] as { version: number | null; synchronous: string | null; fsync: string | null };
  if (found.version === null) throw schemaMissing();
  if (found.version > version) throw newer(found.version);
  for (const [name, value] of [
    ['synchronous_commit', found.synchronous],
    ['fsync', found.fsync],
  ]) {
    if (value !== 'off') continue;
    throw new OperatorError(
      `The database has ${name} = off: what it acknowledges can be lost. Switch it on, at least for this user`,
    );
  }
}

function newer(found: number): OperatorError {
  return new OperatorError(
    `The tables are of version ${found}, newer than this Basedrive knows (${version}): use a newer one`,
  );
}
