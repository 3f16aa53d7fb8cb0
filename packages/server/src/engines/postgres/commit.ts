import { setTimeout } from 'node:timers/promises';
import type { CommitGroup, Operation } from '../shared/group-commit.js';
import { StorageUnavailable } from '../storage-errors.js';
import { isConflict, rowsFailure } from './errors.js';
import type { PostgresPool, Run } from './pool.js';
import { deleteRows, lockRows, type PutRow, putRows } from './statements.js';

/** An operation of the group commit, with what only this engine needs to know. */
export type RowOperation = Operation & {
  readonly dueSeconds?: number | undefined;
  /** Whether its transaction reads and changes nothing else. */
  readonly isAlone: boolean;
};

const beginStatement = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** How often a group is decided again because of conflicts, and the longest pause before the next attempt. */
const maxAttempts = 30;
const maxPauseMs = 250;

type Decide = Parameters<CommitGroup<RowOperation>>[1];

/**
 * Commits the groups of one space. Everything that a group has read is still true when it commits:
 *
 * - A group that only puts is one statement.
 * - A group that reads locks its rows first, in the order of their keys.
 * - A key without a row has nothing to lock, so the unique index guards its absence: a row that is put there is
 *   inserted; if none is put, an empty row is inserted and deleted again. If another transaction has put a row
 *   meanwhile, or does so at the same moment, the insert fails with a duplicate key, and the group is decided again.
 * - A delete does not see a row that another transaction has put and not yet committed. If the delete is all that its
 *   transaction does, it counts as earlier. Otherwise an empty row is put before the delete, which waits for the other
 *   transaction. So every key that a transaction of several keys reads or writes is locked until it commits.
 */
export function createPostgresCommit(pool: PostgresPool, spaceName: string): CommitGroup<RowOperation> {
  const space = Buffer.from(spaceName);

  return async (keys, decide) => {
    for (let attempt = 1; ; attempt++) {
      try {
        if (keys.length > 0) await commitReading([...new Set(keys)], decide);
        else await commitBlind(decide(() => undefined));
        return;
      } catch (cause) {
        if (!isConflict(cause)) throw rowsFailure(cause);
        if (attempt === maxAttempts) {
          throw new StorageUnavailable(`The transaction met a conflict ${maxAttempts} times`, { cause });
        }
        await setTimeout(Math.random() * Math.min(2 ** attempt, maxPauseMs));
      }
    }
  };

  async function commitBlind(operations: readonly RowOperation[]): Promise<void> {
    const { puts, deletes } = lastOperations(operations);
    const upserts = [...puts, ...deletes.filter(({ isAlone }) => !isAlone).map(emptyRow)];
    const apply = async (run: Run) => {
      await Promise.all([putRows(run, 'upsert', space, upserts), deleteRows(run, space, deletes.map(keyOf))]);
    };
    // One statement is a transaction by itself.
    if (upserts.length === 0 || deletes.length === 0) await apply(pool.run);
    else {
      await pool.transact(beginStatement, async ({ begun, run }) => {
        await begun;
        await apply(run);
      });
    }
  }

  async function commitReading(keys: readonly string[], decide: Decide): Promise<void> {
    await pool.transact(beginStatement, async ({ begun, run }) => {
      const [rows] = await Promise.all([lockRows(run, space, keys), begun]);
      const { puts, deletes } = lastOperations(decide((key) => rows.get(key)));
      // A read of one key that changes nothing needs no lock: it was true at its moment.
      if (puts.length + deletes.length === 0 && keys.length === 1) return;
      const read = new Set(keys);
      const isInsert = ({ key }: PutRow) => read.has(key) && !rows.has(key);
      const inserts = puts.filter(isInsert);
      const inserted = new Set(inserts.map(keyOf));
      const absent = keys.filter((key) => !rows.has(key) && !inserted.has(key));
      const unread = deletes.filter(({ key, isAlone }) => !read.has(key) && !isAlone);
      const upserts = [...puts.filter((row) => !isInsert(row)), ...unread.map(emptyRow)];
      await Promise.all([
        putRows(run, 'insert', space, [...inserts, ...absent.map((key) => emptyRow({ key }))]),
        putRows(run, 'upsert', space, upserts),
        deleteRows(run, space, [...new Set([...deletes.map(keyOf), ...absent])]),
      ]);
    });
  }
}

function keyOf({ key }: { readonly key: string }): string {
  return key;
}

function emptyRow({ key }: { readonly key: string }): PutRow {
  return { key, value: Buffer.alloc(0) };
}

/** The last operation on each row: one statement may change a row only once. */
function lastOperations(operations: readonly RowOperation[]) {
  const last = new Map<string, RowOperation>();
  for (const operation of operations) {
    const isAlone = operation.isAlone && (last.get(operation.key)?.isAlone ?? true);
    last.set(operation.key, { ...operation, isAlone });
  }
  const puts: PutRow[] = [];
  const deletes: RowOperation[] = [];
  for (const operation of last.values()) {
    if (operation.type === 'put') puts.push(operation);
    else deletes.push(operation);
  }
  return { puts, deletes };
}
