import { createInFlight } from '../shared/in-flight.js';
import { rowsFailure } from './errors.js';
import { readHosts } from './hosts.js';
import { openPostgresPool, type Run } from './pool.js';

export interface PoolOptions {
  /**
   * `postgres://user:password@host/database`, or several hosts as `hosts.ts` reads them, with the driver's parameters
   * (`sslmode` …).
   */
  readonly url: string;
  readonly poolSize?: number;
  /** Limits every statement. A call that waits for a connection or for locks may take twice as long. */
  readonly statementTimeoutMs?: number;
}

/** The connections that one server takes at most. */
export const defaultPoolSize = 10;

/** The connections of a store, and the calls that are in progress on them. */
export type StorePools = ReturnType<typeof openStorePools>;

export interface Moment {
  readonly run: Run;
  close(): Promise<void>;
}

const beginMoment = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

export function openStorePools(options: PoolOptions) {
  const { url, poolSize = defaultPoolSize, statementTimeoutMs = 10_000 } = options;
  const scanPoolSize = Math.ceil(poolSize / 3);
  const hosts = readHosts(url);
  const pool = openPostgresPool({ hosts, poolSize: poolSize - scanPoolSize, statementTimeoutMs });
  // A scan holds its connection as long as its reader takes, so scans must not use up the connections of other calls.
  const scanPool = openPostgresPool({ hosts, poolSize: scanPoolSize, statementTimeoutMs });
  const { track, close } = createInFlight('row store');

  /** Tracks a call, and turns the driver's errors into those of the contract. */
  function call<T>(work: () => Promise<T>): Promise<T> {
    return track(work).catch((cause) => {
      throw rowsFailure(cause);
    });
  }

  return {
    pool,
    track,
    call,
    /** How many of these connections there are. */
    momentsAtOnce: scanPoolSize,
    /** Opens a moment, with a connection of its own, at which rows are read until it is closed. */
    async moment(): Promise<Moment> {
      const session = await call(() => scanPool.begin(beginMoment));
      /** It decides whether the connection is used again. */
      let failure: unknown;
      return {
        run: (statement, values) =>
          call(() =>
            session.run(statement, values).catch((cause) => {
              failure ??= cause;
              throw cause;
            }),
          ),
        close: () => session.rollback(failure),
      };
    },
    async close(): Promise<void> {
      await close();
      await Promise.all([pool.close(), scanPool.close()]);
    },
  };
}
