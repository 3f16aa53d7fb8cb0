import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';

/** A statement that is prepared once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs a statement. Those of one transaction go out as they are asked for, without waiting for the answers before. */
export type Run = (statement: Statement, values?: readonly unknown[]) => Promise<QueryResult>;

export interface PostgresPoolOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Bounds every statement. */
  readonly statementTimeoutMs: number;
}

/** A transaction that is open: it has a connection to itself until one of the two ends it. */
export interface Session {
  /**
   * Fulfilled when the transaction has begun. Whoever changes something waits for it: behind a refused beginning each
   * statement would be a transaction of its own. What only reads may go out at once.
   */
  readonly begun: Promise<unknown>;
  readonly run: Run;
  commit(): Promise<void>;
  /** The cause tells whether the connection is to be used again. */
  rollback(cause?: unknown): Promise<void>;
}

export interface PostgresPool {
  /** One statement, which is a transaction of its own. */
  readonly run: Run;
  begin(statement: string): Promise<Session>;
  /** A transaction: begun by this statement, committed when the work is done, undone when it throws. */
  transact<T>(begin: string, work: (session: Pick<Session, 'begun' | 'run'>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const connectTimeoutMs = 5000;
/** The database ends a statement first; when nothing is heard from it, the statement ends here, so much later. */
const silenceMs = 2000;
const idleMs = 60_000;

/**
 * A bounded number of connections. Every wait is bounded: a database that was cut off makes calls fail, not hang. Rejects
 * with what the driver gives.
 */
export function openPostgresPool(options: PostgresPoolOptions): PostgresPool {
  const { url, poolSize, statementTimeoutMs } = options;
  const config: PoolConfig & { readonly pipeline: true } = {
    connectionString: url,
    max: poolSize,
    application_name: 'basedrive',
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.ceil(statementTimeoutMs / 2),
    idle_in_transaction_session_timeout: 3 * statementTimeoutMs,
    query_timeout: statementTimeoutMs + silenceMs,
    keepAlive: true,
    pipeline: true,
  };
  const pool = new Pool(config);
  // A connection that breaks while nobody uses it leaves the pool; who needs one gets another.
  pool.on('error', () => {});

  async function begin(statement: string): Promise<Session> {
    const client = await pool.connect();
    // When it breaks between two statements, the next one tells.
    client.on('error', ignore);
    const begun = client.query(statement);
    // What it says is heard at the end; the first statement goes out behind it at once.
    begun.catch(ignore);

    function release(isSound: boolean): void {
      client.removeListener('error', ignore);
      client.release(!isSound);
    }

    return {
      begun,
      run: (next, values = []) => client.query({ ...next, values: [...values] }),
      async commit() {
        await begun;
        const { command } = await client.query('COMMIT');
        if (command !== 'COMMIT') throw new Error(`The database answered COMMIT with ${command}`);
        release(true);
      },
      async rollback(cause) {
        release(await isUndone(client, cause));
      },
    };
  }

  return {
    run: (statement, values = []) => pool.query({ ...statement, values: [...values] }),
    begin,
    async transact(statement, work) {
      const session = await begin(statement);
      try {
        const result = await work(session);
        await session.commit();
        return result;
      } catch (cause) {
        await session.rollback(cause);
        throw cause;
      }
    },
    close: () => pool.end(),
  };
}

function ignore(): void {}

/** Whether the connection can be used again: the database said no, and is there. */
async function isUndone(client: PoolClient, cause: unknown): Promise<boolean> {
  if (cause instanceof DatabaseError && cause.severity !== 'ERROR') return false;
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
