import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import { createFairTurns, type FairTurns } from '../../lib/concurrency/fair-turns.js';
import type { Host } from './address.js';
import { readTraits, type Traits } from './connection-traits.js';
import { isOfStatement, isStartRefusal } from './errors.js';
import type { Hosts } from './hosts.js';
import { createStatementNames, plainNames, type StatementNames } from './statement-names.js';

export interface ConnectionsOptions {
  readonly hosts: Hosts;
  readonly poolSize: number;
  /** Limits every statement. */
  readonly statementTimeoutMs: number;
}

/** A connection that one caller has until it gives it back. */
export interface Connection {
  readonly client: PoolClient;
  readonly traits: Traits;
  readonly names: StatementNames;
  /** Throws if a commit on this connection did not reach the synchronous standby: nobody may count on it. */
  requireReplicated(): void;
  /** `cause`: why its last statement failed, which decides whether it can be used again. */
  release(cause?: unknown): void;
}

export interface Connections {
  /**
   * Waits for a connection, in turns with other owners. Rejects with the driver's errors, with `NoPrimary`, or if all
   * connections are in use for too long.
   */
  connect(owner: string): Promise<Connection>;
  /** The same for a write, which may wait for locks: writes leave a connection to all others. */
  connectToWrite(owner: string): Promise<Connection>;
  close(): Promise<void>;
}

const connectTimeoutMs = 5000;
/**
 * The database cancels a slow statement itself. If it does not answer either, the statement fails here, this much
 * later.
 */
const silenceMs = 2000;
const idleMs = 60_000;

/** A limited number of connections to the host that takes writes. Each is greeted before it is used. */
export function openConnections({ hosts, poolSize, statementTimeoutMs }: ConnectionsOptions): Connections {
  const { needsPrimary } = hosts;
  const limitsMs = limitsOf(statementTimeoutMs);
  const config = configOf(poolSize, statementTimeoutMs);
  /** Hosts where a pooler refuses parameters of the start, because it cannot give them to a session that others use. */
  const refusing = new Set<Host>();
  const starts = new WeakMap<object, { readonly host: Host; readonly areLimitsSent: boolean }>();
  const greeted = new WeakMap<object, Pick<Connection, 'traits' | 'names'>>();
  const unreplicated = new WeakSet<object>();
  const turns = turnsOf(poolSize);
  const writeTurns = turnsOf(Math.max(1, poolSize - 1));

  class HostClient extends Client {
    constructor() {
      const host = hosts.current;
      const areLimitsSent = !refusing.has(host);
      super({ ...config, ...(areLimitsSent && limitsMs), connectionString: host.url });
      starts.set(this, { host, areLimitsSent });
      // Somebody has cancelled the wait for the standby. The database calls that a success, with a warning.
      this.on('notice', ({ routine }) => {
        if (routine === 'SyncRepWaitForLSN') unreplicated.add(this);
      });
    }
  }

  const pool = new Pool({
    ...config,
    Client: HostClient,
    // The pool waits for its promise, which its type does not say.
    async onConnect(client) {
      const areLimitsSent = starts.get(client)?.areLimitsSent ?? false;
      const traits = await readTraits(client, { needsPrimary, limitsMs, areLimitsSent });
      greeted.set(client, { traits, names: traits.isPooled ? createStatementNames() : plainNames });
    },
  });
  // The pool removes an idle connection that breaks; without a listener, the process would end.
  pool.on('error', ignore);

  function lent(client: PoolClient): Connection {
    // If it breaks between two statements, the next one fails.
    client.on('error', ignore);
    return {
      client,
      ...(greeted.get(client) as Pick<Connection, 'traits' | 'names'>),
      requireReplicated() {
        if (unreplicated.has(client)) throw new Error('The commit has not reached the synchronous standby');
      },
      release(cause) {
        client.removeListener('error', ignore);
        const isSound = cause === undefined || isOfStatement(cause);
        if (!isSound) hosts.suspect(starts.get(client)?.host);
        // Its warning is about a commit that is over, so the connection ends with it.
        client.release(!isSound || unreplicated.has(client));
        turns.end();
      },
    };
  }

  async function connectNow(): Promise<Connection> {
    for (;;) {
      const host = hosts.current;
      const isRefusalKnown = refusing.has(host);
      try {
        return lent(await pool.connect());
      } catch (cause) {
        if (!isRefusalKnown && isStartRefusal(cause)) refusing.add(host);
        // If that host is still the one to use, nothing else can be tried.
        else if (!needsPrimary || (await hosts.find()) === host) throw cause;
      }
    }
  }

  async function connect(owner: string): Promise<Connection> {
    if (hosts.isSuspect) await hosts.find();
    const turn = turns.take(owner);
    if (turn !== undefined) await turn;
    try {
      return await connectNow();
    } catch (cause) {
      turns.end();
      throw cause;
    }
  }

  return {
    connect,

    async connectToWrite(owner) {
      const turn = writeTurns.take(owner);
      if (turn !== undefined) await turn;
      try {
        const connection = await connect(owner);
        const release = (cause?: unknown) => {
          connection.release(cause);
          writeTurns.end();
        };
        return { ...connection, release };
      } catch (cause) {
        writeTurns.end();
        throw cause;
      }
    },

    close: () => pool.end(),
  };
}

/** The driver admits those who wait in the order of their calls: each would wait for all that one project has sent. */
function turnsOf(connections: number): FairTurns {
  return createFairTurns(
    connections,
    connectTimeoutMs,
    () => new Error('All connections were in use for too long'),
  );
}

/** What the database limits by itself. */
function limitsOf(statementTimeoutMs: number) {
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.ceil(statementTimeoutMs / 2),
    idle_in_transaction_session_timeout: 3 * statementTimeoutMs,
  };
}

function configOf(poolSize: number, statementTimeoutMs: number): PoolConfig & { readonly pipeline: true } {
  return {
    max: poolSize,
    application_name: 'basedrive',
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleMs,
    query_timeout: statementTimeoutMs + silenceMs,
    keepAlive: true,
    pipeline: true,
  };
}

function ignore(): void {}
