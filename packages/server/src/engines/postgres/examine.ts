import { DatabaseError } from 'pg';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { clockFinding } from '../shared/clock-finding.js';
import type { Traits } from './connection-traits.js';
import { openFailure } from './errors.js';
import { heldUpChanges, oldestWriting } from './held-up-changes.js';
import { readHosts, readOnlyText } from './hosts.js';
import { openPostgresPool, type Run, type Statement } from './pool.js';
import { isReadOnly, readClock } from './server-state.js';
import { defaultPoolSize } from './store-pools.js';

const statementTimeoutMs = 10_000;

interface Rights {
  readonly user: string;
  readonly has_rights: boolean;
}

interface Connections {
  readonly most: string | null;
  readonly reserved: string | null;
  readonly role_limit: number | null;
  readonly database_limit: number | null;
  readonly others: string;
}

/**
 * What the operator should know of a database that holds the tables: whether it can be written, has connections for a
 * server, gives changes to those who follow, and agrees on the time. Throws `StorageUnavailable`.
 */
export async function examinePostgres(url: string): Promise<readonly Finding[]> {
  const pool = openPostgresPool({ hosts: readHosts(url), poolSize: 1, statementTimeoutMs });
  try {
    const traits = await pool.traits();
    return [
      ...(await stateOf(pool.run)),
      ...(await rightsOf(pool.run)),
      ...heldUpChanges(await rowsIfKnown(pool.run, oldestWriting)),
      ...(traits.isPooled ? [await poolerFinding(pool.run, traits)] : await connectionsOf(pool.run)),
    ];
  } catch (cause) {
    throw openFailure(cause);
  } finally {
    await pool.close();
  }
}

async function stateOf(run: Run): Promise<readonly Finding[]> {
  const beganMs = Date.now();
  const databaseMs = await readClock(run);
  const clock = clockFinding('database clock', (beganMs + Date.now()) / 2, databaseMs);
  if (!(await isReadOnly(run))) return [clock];
  const advice = 'Give --items the address of the primary, or set default_transaction_read_only to off.';
  return [failed('database', readOnlyText, advice), clock];
}

/** Nothing if the tables are missing, which `open` reports. */
async function rightsOf(run: Run): Promise<readonly Finding[]> {
  const rows = await rowsIfKnown(run, {
    name: 'rights',
    text: `SELECT current_user AS "user", bool_and(has_table_privilege('basedrive_rows', needed)) AS has_rights
      FROM (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) AS rights (needed)`,
  });
  const { user, has_rights } = (rows[0] ?? { user: '', has_rights: true }) as Rights;
  if (has_rights) return [];
  const advice = `GRANT SELECT, INSERT, UPDATE, DELETE ON basedrive_rows TO "${user}"`;
  return [failed('rights', `the user ${user} may not read and write the rows`, advice)];
}

/** What a pooler costs. How many connections the database has for it is between the two. */
async function poolerFinding(run: Run, { keepsStatements, limitTime }: Traits): Promise<Finding> {
  const { rows } = await run({ name: 'user', text: 'SELECT current_user AS "user"' });
  const { user } = rows[0] as { readonly user: string };
  const costs: string[] = [];
  const advice: string[] = [];
  if (!keepsStatements) {
    costs.push('keeps no prepared statements');
    advice.push('use PgBouncer 1.21 or newer with max_prepared_statements = 200.');
  }
  if (limitTime !== '') {
    costs.push('needs time limits with each statement');
    const settings = limitTime.matchAll(/SET LOCAL (\w+) = (\d+)/g);
    for (const [, name, ms] of settings)
      advice.push(`ALTER ROLE "${user}" SET ${name} = '${Number(ms) / 1000}s';`);
  }
  if (costs.length === 0) return ok('pooler', 'it keeps prepared statements, and the role has time limits');
  return warning('pooler', `it ${costs.join(' and ')}, so writes take more processor time`, advice.join(' '));
}

/** Nothing for a database that does not have PostgreSQL's own tables. */
async function connectionsOf(run: Run): Promise<readonly Finding[]> {
  const rows = await rowsIfKnown(run, {
    name: 'connections',
    text: `SELECT current_setting('max_connections', true) AS most,
        current_setting('superuser_reserved_connections', true) AS reserved,
        (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS role_limit,
        (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS database_limit,
        (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND pid <> pg_backend_pid()) AS others`,
  });
  return rows.length === 0 ? [] : judgeConnections(rows[0] as Connections);
}

/** The rows of a statement; none if the database does not know what it names. */
async function rowsIfKnown(run: Run, statement: Statement): Promise<readonly unknown[]> {
  try {
    return (await run(statement)).rows as unknown[];
  } catch (cause) {
    if (cause instanceof DatabaseError && cause.severity === 'ERROR') return [];
    throw cause;
  }
}

function judgeConnections(found: Connections): readonly Finding[] {
  const { most, reserved, role_limit, database_limit, others } = found;
  if (most === null) return [];
  const limits = [Number(most) - Number(reserved ?? 0), role_limit ?? -1, database_limit ?? -1];
  const allowed = Math.min(...limits.filter((limit) => limit >= 0));
  const free = Math.max(0, allowed - Number(others));
  const shown = `${allowed} allowed, ${free} free; each server takes up to ${defaultPoolSize}`;
  const advice = 'Raise max_connections of the database, or the limits of the role and the database.';
  if (allowed < defaultPoolSize) return [failed('connections', shown, advice)];
  return [free < defaultPoolSize ? warning('connections', shown, advice) : ok('connections', shown)];
}
