import { randomBytes } from 'node:crypto';
import { type ClientBase, DatabaseError } from 'pg';
import { ReadOnlyServer, readOnlyColumn } from './hosts.js';

/** How to work with a connection, which depends on what is between it and the database. */
export interface Traits {
  /** Whether a pooler is in between: one connection may use another session of the database for each transaction. */
  readonly isPooled: boolean;
  /** Whether a prepared statement is there for the next transaction, too. */
  readonly keepsStatements: boolean;
  /** Statements that limit the time of the transaction that has begun; empty if the session has these limits. */
  readonly limitTime: string;
}

export interface TraitsOptions {
  readonly needsPrimary: boolean;
  /** The limits that the session should have, in milliseconds, by the names of their settings. */
  readonly limitsMs: Readonly<Record<string, number>>;
  /** Whether the limits were sent as parameters of the start of the session. */
  readonly areLimitsSent: boolean;
}

/**
 * Finds the traits of a new connection. A session of the database has the process number that the connection was told at
 * its start; a pooler tells its clients numbers of its own. Rejects with `ReadOnlyServer` if the server must take writes and
 * does not.
 */
export async function readTraits(client: ClientBase, options: TraitsOptions): Promise<Traits> {
  const { needsPrimary, limitsMs, areLimitsSent } = options;
  const { rows } = await client.query(`SELECT pg_backend_pid() AS pid, ${readOnlyColumn}`);
  const { pid, read_only } = rows[0] as { readonly pid: number | string; readonly read_only: string | null };
  if (needsPrimary && read_only === 'on') throw new ReadOnlyServer();
  const limitTime = Object.entries(limitsMs)
    .map(([name, ms]) => `; SET LOCAL ${name} = ${ms}`)
    .join('');
  const { processID } = client as ClientBase & { readonly processID?: number | null };
  // 32 bits with a sign, which some databases send as the same bits without one.
  const isPooled = (Number(pid) | 0) !== processID;
  if (!isPooled && areLimitsSent) return { isPooled, keepsStatements: true, limitTime: '' };
  const found = await examine(client, Object.keys(limitsMs));
  // A database without PostgreSQL's own tables is not behind a pooler that is known.
  if (found === undefined)
    return { isPooled: false, keepsStatements: true, limitTime: areLimitsSent ? '' : limitTime };
  const areInForce = Object.entries(limitsMs).every(([name, ms]) => {
    const limit = found.limits.get(name);
    // What a client has set, another one may have, or the next one change.
    return limit !== undefined && limit.source !== 'session' && limit.ms > 0 && limit.ms <= ms;
  });
  return {
    isPooled,
    keepsStatements: !isPooled || found.isRenamed,
    limitTime: areInForce ? '' : limitTime,
  };
}

interface Limit {
  readonly source: string | null;
  readonly ms: number;
}

/**
 * Reads the limits of the sessions, and prepares a statement to see what becomes of its name. A pooler that keeps prepared
 * statements gives them names of its own. If the name stays, the next transaction may be in another session, where the
 * statement is missing or is that of another client. Gives undefined if the database does not know these tables.
 */
async function examine(client: ClientBase, limits: readonly string[]) {
  const name = `probe_${randomBytes(8).toString('hex')}`;
  const begun = client.query('BEGIN');
  const settings = client.query({
    name,
    text: 'SELECT name, setting, source FROM pg_settings WHERE name = ANY($1::text[])',
    values: [limits],
  });
  const prepared = client.query('SELECT 1 FROM pg_prepared_statements WHERE name = $1', [name]);
  try {
    const [, read, own] = await Promise.all([begun, settings, prepared]);
    const isRenamed = own.rows.length === 0;
    if (!isRenamed) await client.query(`DEALLOCATE ${name}`);
    const rows = read.rows as { name: string; setting: string; source: string | null }[];
    return {
      isRenamed,
      limits: new Map(
        rows.map(({ name: setting, setting: ms, source }): [string, Limit] => [
          setting,
          { source, ms: Number(ms) },
        ]),
      ),
    };
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || cause.severity !== 'ERROR') throw cause;
    return undefined;
  } finally {
    await Promise.allSettled([begun, settings, prepared]);
    await client.query('COMMIT').catch(() => {});
  }
}
