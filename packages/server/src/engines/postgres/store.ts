import { compareUtf8 } from '../../lib/utf8-order.js';
import type { Change, DueRow, ItemStore, ScannedRow, ScanRange } from '../item-store.js';
import { createGroupCommit } from '../shared/group-commit.js';
import { textRows } from '../shared/text-rows.js';
import { StorageUnavailable } from '../storage-errors.js';
import { byteaArray } from './bytea.js';
import { createCoalescedReads } from './coalesced-reads.js';
import { createPostgresCommit, type RowOperation } from './commit.js';
import { rowsFailure } from './errors.js';
import { createPerSpace } from './per-space.js';
import { openPostgresPool, type Statement } from './pool.js';
import { scanPages } from './scan.js';
import { checkSchema } from './schema.js';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host/database`, with the parameters that the driver knows (`sslmode` …). */
  readonly url: string;
  readonly poolSize?: number;
  /** Bounds every statement; a call that waits for a connection or for locks may take twice as long. */
  readonly statementTimeoutMs?: number;
}

const rows: Statement = {
  name: 'rows',
  text: 'SELECT key, value FROM basedrive_rows WHERE space = $1 AND key = ANY($2::bytea[])',
};
const nextSpace: Statement = {
  name: 'next_space',
  text: 'SELECT space FROM basedrive_rows WHERE space >= $1 ORDER BY space LIMIT 1',
};
const dueRows: Statement = {
  name: 'due',
  text: 'SELECT space, key FROM basedrive_rows WHERE due <= $1 ORDER BY due, space, key LIMIT $2',
};
const beginScan = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * The row engine for many servers: PostgreSQL, or what speaks its protocol. One table, ordered by space and key as
 * bytes. Writers of one space that wait share the next transaction, as they do over LevelDB; those of several
 * servers meet in the database. Throws `OperatorError` when the tables are not there, `StorageUnavailable` when
 * nobody answers.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<ItemStore> {
  const { url, poolSize = 10, statementTimeoutMs = 10_000 } = options;
  const scanning = Math.ceil(poolSize / 3);
  const pool = openPostgresPool({ url, poolSize: poolSize - scanning, statementTimeoutMs });
  // A scan has its connection for as long as its reader takes: it must not keep the others from theirs.
  const scans = openPostgresPool({ url, poolSize: scanning, statementTimeoutMs });
  const lanes = createPerSpace((space) => createGroupCommit<RowOperation>(createPostgresCommit(pool, space)));
  const readers = createPerSpace((space) => createCoalescedReads((keys) => readRows(space, keys)));
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  /** Every call is counted until it is over. */
  function open<T>(work: () => Promise<T>): Promise<T> {
    return closed ? Promise.reject(new StorageUnavailable('The row store is closed')) : counted(work());
  }

  /** And its failure is said in the words of the contract. */
  function call<T>(work: () => Promise<T>): Promise<T> {
    return open(work).catch((cause) => {
      throw rowsFailure(cause);
    });
  }

  function counted<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    const forget = () => underWay.delete(work);
    work.then(forget, forget);
    return work;
  }

  async function readRows(space: string, keys: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const wanted = byteaArray(keys.map((key) => Buffer.from(key)));
    const found = await pool.run(rows, [Buffer.from(space), wanted]);
    return new Map((found.rows as FoundRow[]).map(({ key, value }) => [key.toString(), value]));
  }

  async function* scan(space: string, range: ScanRange = {}): AsyncGenerator<readonly ScannedRow[]> {
    const session = await call(() => scans.begin(beginScan));
    try {
      yield* scanPages((statement, values) => call(() => session.run(statement, values)), space, range);
    } finally {
      void counted(session.rollback());
    }
  }

  async function close(): Promise<void> {
    closed = true;
    while (underWay.size > 0) await Promise.allSettled(underWay);
    await Promise.all([pool.close(), scans.close()]);
  }

  try {
    await call(() => checkSchema(pool.run));
  } catch (cause) {
    await close();
    throw cause;
  }

  return {
    isShared: true,

    get: (space, key) => call(() => readers.use(space, (read) => read(key))),

    // What `decide` throws is its caller's own.
    transact: (space, keys, decide) =>
      open(() =>
        lanes.use(space, (lane) =>
          lane.submit(keys, (values) => {
            const change = decide(values);
            return { operations: operationsOf(keys, change), result: change.result };
          }),
        ),
      ),

    scan,
    scanText: (space, range) => textRows(scan(space, range)),

    async *spaces(prefix, after) {
      let from = after === undefined || compareUtf8(after, prefix) < 0 ? prefix : `${after}\0`;
      for (;;) {
        const { rows: found } = await call(() => pool.run(nextSpace, [Buffer.from(from)]));
        const space = (found[0] as { readonly space: Buffer } | undefined)?.space.toString();
        if (space === undefined || !space.startsWith(prefix)) return;
        yield space;
        // The next one that can be: a space holds no NUL.
        from = `${space}\0`;
      }
    },

    due: (beforeSeconds, limit) =>
      call(async () => {
        const { rows: found } = await pool.run(dueRows, [beforeSeconds, limit]);
        return (found as { readonly space: Buffer; readonly key: Buffer }[]).map(
          ({ space, key }): DueRow => ({ space: space.toString(), key: key.toString() }),
        );
      }),

    close,
  };
}

interface FoundRow {
  readonly key: Buffer;
  readonly value: Buffer;
}

function operationsOf(keys: readonly string[], { puts = [], deletes = [] }: Change<unknown>): RowOperation[] {
  const isAlone = keys.length + puts.length + deletes.length === 1;
  return [
    ...puts.map((put) => ({ type: 'put' as const, ...put, isAlone })),
    ...deletes.map((key) => ({ type: 'del' as const, key, isAlone })),
  ];
}
