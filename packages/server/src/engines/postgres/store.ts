import { createReferenceCounted } from '../../lib/concurrency/reference-counted.js';
import type { OnGroup } from '../engine.js';
import type { DueRow, ItemStore, ScannedRow, ScanRange, Snapshot } from '../item-store.js';
import { batchesOf } from '../shared/first-batch.js';
import { ownerOf } from '../shared/space-owner.js';
import { StorageUnavailable } from '../storage-errors.js';
import { createBatchedReads } from './batched-reads.js';
import { isDistributed } from './citus.js';
import { openFailure } from './errors.js';
import { readOnlyText } from './hosts.js';
import { type KeptChanges, openLog } from './log-rows.js';
import type { Run, Statement } from './pool.js';
import { countPages, scanPages, textRows } from './scan.js';
import { checkSchema } from './schema.js';
import { isReadOnly, readClock } from './server-state.js';
import { createSpaceReads } from './spaces.js';
import { readRows, readSizedRows } from './statements.js';
import { type Moment, openStorePools, type PoolOptions, type StorePools } from './store-pools.js';
import { createTransactions } from './transactions.js';

export interface PostgresStoreOptions extends PoolOptions {
  /** Called after each group commit. */
  readonly onGroup?: OnGroup | undefined;
}

const dueRows: Statement = {
  name: 'due',
  text: 'SELECT space, key FROM basedrive_rows WHERE due <= $1 ORDER BY due, space, key LIMIT $2',
};
/** In any order: of several servers' rows, too. */
const someDueRows: Statement = {
  name: 'some_due',
  text: 'SELECT space, key FROM basedrive_rows WHERE due <= $1 LIMIT $2',
};

/**
 * The item store for many servers: PostgreSQL, or a database that speaks its protocol. The rows are in one table,
 * ordered by space and key as bytes. Waiting writers of one space share the next transaction (group commit); the
 * database orders those of several servers. Throws `OperatorError` if the tables are missing or cannot keep the
 * contract, and `StorageUnavailable` if the database does not answer.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<ItemStore> {
  const pools = openStorePools(options);
  const { call, close } = pools;
  const { run } = pools.pool;
  const isOverShards = await checkDatabase(pools);
  const changes: KeptChanges = { rules: undefined };
  const { transact, transactAcross } = createTransactions(pools, changes, options.onGroup);
  const withBatchedReads = createReferenceCounted((space) => {
    const bytes = Buffer.from(space);
    const { run } = pools.pool.of(ownerOf(space));
    return createBatchedReads({
      all: (keys) => readRows(run, bytes, keys),
      small: (keys, smallBytes) => readSizedRows(run, bytes, keys, smallBytes),
    });
  });

  return {
    isShared: true,
    get: (space, key) => call(() => withBatchedReads(space, (read) => read(key))),
    transact,
    transactAcross: isOverShards ? undefined : transactAcross,
    scan: (space, range) => scan(pools, space, range),
    scanText: (space, range) => textRows(scan(pools, space, range)),
    momentsAtOnce: pools.momentsAtOnce,
    snapshot: async (space) => snapshotOf(space, await pools.moment()),
    ...createSpaceReads((space) => runOf(pools, space)),

    due: (beforeSeconds, limit) =>
      call(async () => {
        const rows = await namesIn(run, dueRows, [beforeSeconds, limit]);
        return rows.map(({ space, key }): DueRow => ({ space: space.toString(), key: key.toString() }));
      }),

    nowMs: () => call(() => readClock(run)),

    ready: () => call(() => requireWrites(run)),

    keepChanges: (rules) =>
      call(async () => {
        if (await isDistributed(run)) return undefined;
        const log = await openLog(run);
        if (log === undefined) return undefined;
        changes.rules = rules;
        const { order, complete, caughtUp, soFar } = log;
        return {
          order,
          complete: () => call(complete),
          caughtUp: () => call(caughtUp),
          soFar: () => call(soFar),
        };
      }),

    close,
  };
}

/** Gives whether the rows are over several shards. Closes the pools if the database cannot be used. */
async function checkDatabase({ pool, close }: StorePools): Promise<boolean> {
  try {
    await checkSchema(pool.run);
    return await isDistributed(pool.run);
  } catch (cause) {
    await close();
    throw openFailure(cause);
  }
}

/**
 * Rejects with `StorageUnavailable` while the database is a standby, or read-only by a setting. A full disk does not show in
 * this way.
 */
async function requireWrites(run: Run): Promise<void> {
  if (!(await isReadOnly(run))) return;
  throw new StorageUnavailable(`The database cannot be written: ${readOnlyText}`, {
    reason: 'the database is read-only',
  });
}

/** Runs statements on a space, or on spaces of one prefix. */
function runOf({ pool, call }: StorePools, space: string): Run {
  const { run } = pool.of(ownerOf(space));
  return (statement, values) => call(() => run(statement, values));
}

async function* scan(
  pools: StorePools,
  space: string,
  range: ScanRange = {},
): AsyncGenerator<readonly ScannedRow[]> {
  if (range.isOneBatch) {
    yield* batchesOf(scanPages(runOf(pools, space), space, range), range);
    return;
  }
  const moment = await pools.moment();
  try {
    yield* scanPages(moment.run, space, range);
  } finally {
    // The reader need not wait for the rollback; closing the pool does.
    void moment.close();
  }
}

function snapshotOf(space: string, { run, close }: Moment): Snapshot {
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
