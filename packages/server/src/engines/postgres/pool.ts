import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';

/** A statement that each connection prepares once, under this name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs a statement. The statements of one transaction are pipelined: none waits for the answer of the one before. */
export type Run = (statement: Statement, values?: readonly unknown[]) => Promise<QueryResult>;

export interface PostgresPoolOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Limits every statement. */
  readonly statementTimeoutMs: number;
}

/** An open transaction. It has a connection of its own until it is committed or rolled back. */
export interface Session {
  /**
   * Fulfilled when the transaction has begun. Wait for it before changing anything: if BEGIN fails, each statement is
   * a transaction of its own. Statements that only read may be sent at once.
   */
  readonly begun: Promise<unknown>;
  readonly run: Run;
  commit(): Promise<void>;
  /** `cause` decides whether the connection can be used again. Never rejects. */
  rollback(cause?: unknown): Promise<void>;
}

export interface PostgresPool {
  /** Runs one statement, as a transaction of its own. */
  readonly run: Run;
  begin(statement: string): Promise<Session>;
  /** Begins a transaction with this statement, commits it after the work, and rolls it back if the work throws. */
  transact<T>(begin: string, work: (session: Pick<Session, 'begun' | 'run'>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const connectTimeoutMs = 5000;
/**
 * The database cancels a slow statement itself. If it does not answer either, the statement fails here, this much
 * later.
 */
const silenceMs = 2000;
const idleMs = 60_000;

/**
 * A limited number of connections. Every wait is limited too, so calls to a database that was cut off fail instead of
 * hanging. Rejects with the driver's errors.
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
  // The pool removes an idle connection that breaks; without a listener, the process would end.
  pool.on('error', () => {});

  async function begin(statement: string): Promise<Session> {
    const client = await pool.connect();
    // If it breaks between two statements, the next one fails.
    client.on('error', ignore);
    const begun = client.query(statement);
    // The first statement is pipelined behind it. The error goes to the callers that wait for `begun`.
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

/** Rolls back, and gives whether the connection can be used again. */
async function isUndone(client: PoolClient, cause: unknown): Promise<boolean> {
  if (cause instanceof DatabaseError && cause.severity !== 'ERROR') return false;
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
