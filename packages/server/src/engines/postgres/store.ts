import type { OnGroup } from '../engine.js';
import {
  type Change,
  type DueRow,
  headerKey,
  type ItemStore,
  type ScannedRow,
  type ScanRange,
  type Snapshot,
} from '../item-store.js';
import { createGroupCommit } from '../shared/group-commit.js';
import { createInFlight } from '../shared/in-flight.js';
import { textRows } from '../shared/text-rows.js';
import { HeadersUnsupported } from '../storage-errors.js';
import { createBatchedReads } from './batched-reads.js';
import { besideKeys, lockedKey } from './beside.js';
import { isDistributed } from './citus.js';
import { createPostgresCommit, type DatabaseLimits, type RowOperation } from './commit.js';
import { rowsFailure } from './errors.js';
import { readHosts } from './hosts.js';
import { type KeptChanges, openLog } from './log-rows.js';
import { openPostgresPool, type Run, type Statement } from './pool.js';
import { createReferenceCounted } from './reference-counted.js';
import { countPages, scanPages } from './scan.js';
import { checkSchema } from './schema.js';
import { createSpaceReads } from './spaces.js';
import { readRows } from './statements.js';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host/database`, or several hosts as `hosts.ts` reads them, with the driver's parameters (`sslmode` …). */
  readonly url: string;
  readonly poolSize?: number;
  /** Limits every statement. A call that waits for a connection or for locks may take twice as long. */
  readonly statementTimeoutMs?: number;
  /** Called after each group commit. */
  readonly onGroup?: OnGroup | undefined;
}

/** The connections that one server takes at most. */
export const defaultPoolSize = 10;

const dueRows: Statement = {
  name: 'due',
  text: 'SELECT space, key FROM basedrive_rows WHERE due <= $1 ORDER BY due, space, key LIMIT $2',
};
/** In any order: of several servers' rows, too. */
const someDueRows: Statement = {
  name: 'some_due',
  text: 'SELECT space, key FROM basedrive_rows WHERE due <= $1 LIMIT $2',
};
const beginScan = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * The item store for many servers: PostgreSQL, or a database that speaks its protocol. The rows are in one table,
 * ordered by space and key as bytes. Waiting writers of one space share the next transaction (group commit); the
 * database orders those of several servers. Throws `OperatorError` if the tables are missing or cannot keep the
 * contract, and `StorageUnavailable` if the database does not answer.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<ItemStore> {
  const { url, poolSize = defaultPoolSize, statementTimeoutMs = 10_000, onGroup } = options;
  const scanPoolSize = Math.ceil(poolSize / 3);
  const hosts = readHosts(url);
  const pool = openPostgresPool({ hosts, poolSize: poolSize - scanPoolSize, statementTimeoutMs });
  // A scan holds its connection as long as its reader takes, so scans must not use up the connections of other calls.
  const scanPool = openPostgresPool({ hosts, poolSize: scanPoolSize, statementTimeoutMs });
  const limits: DatabaseLimits = { hasNoTableLock: false };
  const changes: KeptChanges = { rules: undefined };
  const groupCommits = createReferenceCounted((space) =>
    createGroupCommit<RowOperation>(createPostgresCommit(pool, space, { limits, changes }), onGroup),
  );
  const batchedReads = createReferenceCounted((space) =>
    createBatchedReads((keys) => readRows(pool.run, Buffer.from(space), keys)),
  );
  const { track, close: closeCalls } = createInFlight('row store');

  const spaceReads = createSpaceReads((statement, values) => call(() => pool.run(statement, values)));

  /** Tracks a call, and turns the driver's errors into those of the contract. */
  function call<T>(work: () => Promise<T>): Promise<T> {
    return track(work).catch((cause) => {
      throw rowsFailure(cause);
    });
  }

  async function* scan(space: string, range: ScanRange = {}): AsyncGenerator<readonly ScannedRow[]> {
    const session = await call(() => scanPool.begin(beginScan));
    try {
      yield* scanPages((statement, values) => call(() => session.run(statement, values)), space, range);
    } finally {
      // The reader need not wait for the rollback; closing the pool does.
      void session.rollback();
    }
  }

  const transactBeside: ItemStore['transactBeside'] = (space, keys, beside, decide) =>
    track(() =>
      groupCommits.use(space, (groupCommit) =>
        groupCommit.submit([...keys, ...besideKeys(beside)], (values) => {
          const change = decide(values.slice(0, keys.length), values.slice(keys.length));
          if (limits.hasNoTableLock && changesHeader(change)) throw noTableLock();
          const own = operationsOf(keys, change).map((operation) => ({ ...operation, isAlone: false }));
          const besides = (change.beside ?? []).map(({ key, value }) => {
            return { type: 'put' as const, key: lockedKey(beside.space, key), value, isAlone: false };
          });
          return { operations: [...own, ...besides], result: change.result };
        }),
      ),
    );

  async function close(): Promise<void> {
    await closeCalls();
    await Promise.all([pool.close(), scanPool.close()]);
  }

  let isOverShards = false;
  try {
    await call(() => checkSchema(pool.run));
    isOverShards = await call(() => isDistributed(pool.run));
  } catch (cause) {
    await close();
    throw cause;
  }

  return {
    isShared: true,

    get: (space, key) => call(() => batchedReads.use(space, (read) => read(key))),

    // What `decide` throws reaches the caller unchanged, so this does not use `call`: the commit converts its own
    // errors.
    transact: (space, keys, decide) =>
      track(() =>
        groupCommits.use(space, (groupCommit) =>
          groupCommit.submit(keys, (values) => {
            const change = decide(values);
            if (limits.hasNoTableLock && changesHeader(change)) throw noTableLock();
            return { operations: operationsOf(keys, change), result: change.result };
          }),
        ),
      ),

    transactBeside: isOverShards ? undefined : transactBeside,

    scan,
    scanText: (space, range) => textRows(scan(space, range)),

    async snapshot(space) {
      const session = await call(() => scanPool.begin(beginScan));
      const run: Run = (statement, values) => call(() => session.run(statement, values));
      return snapshotOf(space, run, async () => session.rollback());
    },

    ...spaceReads,

    due: (beforeSeconds, limit) =>
      call(async () => {
        const rows = await namesIn(pool.run, dueRows, [beforeSeconds, limit]);
        return rows.map(({ space, key }): DueRow => ({ space: space.toString(), key: key.toString() }));
      }),

    keepChanges: (rules) =>
      call(async () => {
        if (await isDistributed(pool.run)) return undefined;
        const log = await openLog(pool.run);
        if (log === undefined) return undefined;
        changes.rules = rules;
        return { complete: () => call(log.complete), caughtUp: () => call(log.caughtUp) };
      }),

    close,
  };
}

function snapshotOf(space: string, run: Run, close: () => Promise<void>): Snapshot {
  return {
    async *keys(range) {
      for await (const rows of scanPages(run, space, range)) yield rows.map(({ key }) => key);
    },
    scan: (range) => scanPages(run, space, range),
    scanText: (range) => textRows(scanPages(run, space, range)),
    async texts(keys) {
      const rows = await readRows(run, Buffer.from(space), keys);
      return keys.map((key) => rows.get(key)?.toString());
    },
    counts: (range) => countPages(run, space, range),
    async dueKeys(beforeSeconds, limit) {
      const found = await namesIn(run, someDueRows, [beforeSeconds, limit + 1]);
      const spaceBytes = Buffer.from(space);
      if (found.length > limit) return undefined;
      return found.filter((row) => row.space.equals(spaceBytes)).map(({ key }) => key.toString());
    },
    close,
  };
}

/** The rows that a statement names. */
async function namesIn(run: Run, statement: Statement, values: readonly unknown[]) {
  const { rows } = await run(statement, values);
  return rows as { readonly space: Buffer; readonly key: Buffer }[];
}

function changesHeader({ puts = [], deletes = [] }: Change<unknown>): boolean {
  return puts.some(({ key }) => key === headerKey) || deletes.includes(headerKey);
}

function noTableLock(): HeadersUnsupported {
  return new HeadersUnsupported('The database of the rows has no LOCK TABLE, which indexes need');
}

function operationsOf(keys: readonly string[], change: Change<unknown>): RowOperation[] {
  const { puts = [], deletes = [], onNoted } = change;
  const rows = keys.filter((key) => key !== headerKey).length + puts.length + deletes.length;
  const more = { isAlone: rows === 1, ...(onNoted && { onNoted }) };
  return [
    ...puts.map((put) => ({ type: 'put' as const, ...put, ...more })),
    ...deletes.map((key) => ({ type: 'del' as const, key, ...more })),
  ];
}
