import type { Writable } from 'node:stream';
import { DatabaseError, type PoolClient, type QueryResult } from 'pg';
import type { Traits } from './connection-traits.js';
import { type Connection, type ConnectionsOptions, openConnections } from './connections.js';
import { isOfStatement } from './errors.js';

/** A statement that each connection prepares once, under this name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs a statement. The statements of one transaction are pipelined: none waits for the answer of the one before. */
export type Run = (statement: Statement, values?: readonly unknown[]) => Promise<QueryResult>;

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

/** What runs statements on the connections of a pool. */
export interface Statements {
  /** Runs one statement, as a transaction of its own. */
  readonly run: Run;
  begin(statement: string): Promise<Session>;
  /** Begins a transaction with this statement, commits it after the work, and rolls it back if the work throws. */
  transact<T>(begin: string, work: (session: Pick<Session, 'begun' | 'run'>) => Promise<T>): Promise<T>;
}

/** Its own statements are the server's. */
export interface PostgresPool extends Statements {
  /** The statements of an owner: while all connections are in use, owners take turns. */
  of(owner: string): Statements;
  /** The same for statements that write, and so may wait for locks: they leave a connection to all others. */
  writesOf(owner: string): Statements;
  /** What is between its connections and the database. */
  traits(): Promise<Traits>;
  close(): Promise<void>;
}

/**
 * Runs statements on a limited number of connections. Every wait is limited too, so calls to a database that was cut
 * off fail instead of hanging. Rejects with the driver's errors, or with `NoPrimary`.
 */
export function openPostgresPool(options: ConnectionsOptions): PostgresPool {
  const { connect, connectToWrite, close } = openConnections(options);
  const of = (owner: string) => statementsOf(() => connect(owner));
  return {
    ...of(''),
    of,
    writesOf: (owner) => statementsOf(() => connectToWrite(owner)),
    async traits() {
      const { traits, release } = await connect('');
      release();
      return traits;
    },
    close,
  };
}

function statementsOf(connect: () => Promise<Connection>): Statements {
  async function begin(statement: string): Promise<Session> {
    const connection = await connect();
    const { client, traits } = connection;
    const begun = client.query(statement + traits.limitTime);
    // The first statement is pipelined after it. The error goes to the callers that wait for `begun`.
    begun.catch(ignore);
    return {
      begun,
      run: (next, values = []) => query(connection, next, values),
      async commit() {
        await begun;
        requireCommit(await client.query('COMMIT'));
        connection.requireReplicated();
        connection.release();
      },
      async rollback(cause) {
        const isLost = cause instanceof DatabaseError && !isOfStatement(cause);
        connection.release(isLost ? cause : await undo(client));
      },
    };
  }

  return {
    async run(statement, values = []) {
      const connection = await connect();
      try {
        const { limitTime } = connection.traits;
        const result = await (limitTime === ''
          ? query(connection, statement, values)
          : runLimited(connection, statement, values));
        connection.requireReplicated();
        connection.release();
        return result;
      } catch (cause) {
        connection.release(cause);
        throw cause;
      }
    },

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
  };
}

function ignore(): void {}

function query(
  { client, traits, names }: Connection,
  statement: Statement,
  values: readonly unknown[],
): Promise<QueryResult> {
  const given = { text: statement.text, values: [...values] };
  if (!traits.keepsStatements) return client.query(given);
  return names.use(statement.name, (name) => client.query({ name, ...given }));
}

/**
 * Runs a statement in a transaction, for which alone its limits hold. All is sent at once: if the statement fails,
 * COMMIT rolls back.
 */
async function runLimited(
  connection: Connection,
  statement: Statement,
  values: readonly unknown[],
): Promise<QueryResult> {
  const { client, traits } = connection;
  // In one packet: each one more would wake the pooler and the database once more.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection;
  stream.cork();
  const sent = [
    client.query(`BEGIN${traits.limitTime}`),
    query(connection, statement, values),
    client.query('COMMIT'),
  ] as const;
  stream.uncork();
  await Promise.allSettled(sent);
  const [, result, committed] = await Promise.all(sent);
  requireCommit(committed);
  return result;
}

function requireCommit({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error(`The database answered COMMIT with ${command}`);
}

/** Rolls back. Gives why it could not, so that the connection is not used again. */
async function undo(client: PoolClient): Promise<unknown> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (cause) {
    return cause;
  }
}
