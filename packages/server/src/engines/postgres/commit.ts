import { setTimeout } from 'node:timers/promises';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import type { Semaphore } from '../../lib/concurrency/semaphore.js';
import { headerKey } from '../item-store.js';
import type { CommitGroup, Operation, Reading } from '../shared/group-commit.js';
import { StorageUnavailable } from '../storage-errors.js';
import { isConflict, isUnknownStatement, rowsFailure } from './errors.js';
import { lockGroup } from './locked-group.js';
import { type KeptChanges, logRowOf, type NewLogRow, writeLogRow } from './log-rows.js';
import type { Run, Statements } from './pool.js';
import { isOfSecondSpace, readSecondSpaces, splitKey } from './second-space.js';
import { deleteRows, lockTable, type PutRow, putRows, readRows } from './statements.js';

/** An operation of the group commit, with what only this engine needs to know. */
export type RowOperation = Operation & {
  readonly dueSeconds?: number | undefined;
  /** Whether its transaction reads and changes nothing else. */
  readonly isAlone: boolean;
};

/** What the stores of one database learn about it. */
export interface DatabaseLimits {
  /** It has no `LOCK TABLE`, so headers cannot change. Transactions that change one must then be refused. */
  hasNoTableLock: boolean;
}

const beginStatement = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** How often a group is decided again because of conflicts, and the longest pause before the next attempt. */
const maxAttempts = 30;
const maxPauseMs = 250;

type Decide = Parameters<CommitGroup<RowOperation>>[1];

export interface CommitDependencies {
  readonly limits: DatabaseLimits;
  readonly changes: KeptChanges;
  /** Admits the groups that change a header. */
  readonly headerChanges: Semaphore;
}

/**
 * Commits the groups of one space. Everything that a group has read is still true when it commits:
 *
 * - A group that only puts is one statement.
 * - A group that reads locks its rows first, in the order of their keys.
 * - A key without a row has nothing to lock, so the unique index guards its absence: a row that is put there is
 *   inserted; if none is put, an empty row is inserted and deleted again. If another transaction has put a row
 *   in the meantime, or does so at the same moment, the insert fails with a duplicate key, and the group is decided again.
 * - A delete does not see a row that another transaction has put and not yet committed. If the delete is all that its
 *   transaction does, it counts as earlier. Otherwise an empty row is put before the delete, which waits for the other
 *   transaction. So every key that a transaction of several keys reads or writes is locked until it commits.
 * - The header is read without a lock of its own. Each statement that writes or locks rows locks the table in a mode
 *   that others share, until its transaction ends. A group that changes the header first locks the table in a mode that
 *   excludes these. So the header does not change between such a statement and the end of its transaction. A statement
 *   sees everything that was committed before it got its lock, therefore a single statement can check that there is no
 *   header.
 * - Rows of a second space are locked after those of the group.
 */
export function createPostgresCommit(
  pool: Statements,
  spaceName: string,
  { limits, changes, headerChanges }: CommitDependencies,
): CommitGroup<RowOperation> {
  const target: Target = {
    pool,
    space: Buffer.from(spaceName),
    logRowOf: (operations) => logRowOf(changes, spaceName, operations),
  };

  return async (transactions, decide) => {
    const rows = new Set(transactions.flatMap(({ keys }) => keys));
    const readsHeader = rows.delete(headerKey);
    const second = [...rows].filter(isOfSecondSpace);
    for (const key of second) rows.delete(key);
    const group: Group = { transactions, keys: [...rows], second, readsHeader, decide };
    let changesHeader = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const isBlind = group.keys.length + group.second.length === 0;
        const isDone = isBlind && (await commitBlind(target, group));
        if (isDone) return;
        const commit = () => commitReading(target, group, changesHeader);
        await (changesHeader ? headerChanges(commit) : commit());
        return;
      } catch (cause) {
        if (cause instanceof NothingWritten) return;
        if (cause instanceof HeaderChange) {
          changesHeader = true;
          continue;
        }
        if (cause instanceof NoTableLock) {
          // Decided again, only the transactions that change the header are refused.
          limits.hasNoTableLock = true;
          changesHeader = false;
          continue;
        }
        if (!isConflict(cause)) throw rowsFailure(cause);
        if (attempt === maxAttempts) {
          throw new StorageUnavailable(`The transaction met a conflict ${maxAttempts} times`, { cause });
        }
        await setTimeout(Math.random() * Math.min(2 ** attempt, maxPauseMs));
      }
    }
  };
}

/** The rows of one space. */
interface Target {
  readonly pool: Statements;
  readonly space: Buffer;
  /** What is noted of operations on it. */
  readonly logRowOf: (operations: readonly Operation[]) => NewLogRow | undefined;
}

/** Transactions that are decided together. */
interface Group {
  readonly transactions: readonly Reading[];
  /** The keys that they read, without that of the header. */
  readonly keys: readonly string[];
  /** Those of second spaces. */
  readonly second: readonly string[];
  readonly readsHeader: boolean;
  readonly decide: Decide;
}

/** Commits a group that reads no row, if it need not read a header, nor tell the key of its log row. Gives whether it did. */
async function commitBlind(target: Target, group: Group): Promise<boolean> {
  const { pool, space } = target;
  const { readsHeader, decide } = group;
  const operations = decide(() => undefined);
  if (readsHeader && (operations.length === 0 || operations.some(isOnHeader))) return false;
  const { puts, deletes } = lastOperations(operations);
  const upserts = [...puts, ...deletes.filter(({ isAlone }) => !isAlone).map(emptyRow)];
  const logRow = target.logRowOf(operations);
  // A row that is written with others in one statement does not say its key.
  if (logRow !== undefined && logRow.told.length > 0) return false;
  const unless = readsHeader ? 'header' : undefined;
  // One statement is a transaction by itself.
  if (deletes.length === 0)
    return await putRows(pool.run, 'upsert', { space, rows: upserts, unless, logRow });
  const keys = deletes.map(keyOf);
  if (upserts.length === 0) return await deleteRows(pool.run, space, keys, { unless, logRow });
  try {
    await pool.transact(beginStatement, async ({ begun, run }) => {
      await begun;
      const put = putRows(run, 'upsert', { space, rows: upserts, logRow });
      // After the put, whose lock no change of the header passes: one before it could still change.
      const header = readsHeader ? readRows(run, space, [headerKey]) : Promise.resolve(undefined);
      await statementsDone([put, header, deleteRows(run, space, keys)]);
      if ((await header)?.has(headerKey)) throw new HeaderFound();
    });
    return true;
  } catch (cause) {
    if (cause instanceof HeaderFound) return false;
    throw cause;
  }
}

/**
 * Commits a group that reads rows. Throws `HeaderChange` if it changes the header, unless it has the lock for that, and
 * `NothingWritten` if it changes nothing.
 */
async function commitReading(target: Target, group: Group, changesHeader: boolean): Promise<void> {
  const { pool, space } = target;
  const { second, readsHeader, decide } = group;
  await pool.transact(beginStatement, async ({ begun, run }) => {
    if (changesHeader) {
      await begun;
      await lockTable(run).catch((cause) => {
        throw isUnknownStatement(cause) ? new NoTableLock() : cause;
      });
    }
    const [{ value, count, has }, header, secondRows] = await Promise.all([
      lockGroup(run, space, group.keys, group.transactions),
      readsHeader ? readRows(run, space, [headerKey]) : undefined,
      second.length > 0 ? readSecondSpaces(run, second) : undefined,
      begun,
    ]);
    const all = decide((key) => {
      if (key === headerKey) return header?.get(key);
      return value(key) ?? secondRows?.get(key);
    }, count);
    const keys = keysOf(group, count);
    const operations = secondRows === undefined ? all : all.filter(({ key }) => !isOfSecondSpace(key));
    if (!changesHeader && operations.some(isOnHeader)) throw new HeaderChange();
    const { puts, deletes } = lastOperations(operations);
    // A read of one key that changes nothing needs no lock: it was true at its moment.
    if (all.length === 0 && keys.length <= 1) throw new NothingWritten();
    const read = new Set(keys);
    const isInsert = ({ key }: PutRow) => read.has(key) && !has(key);
    const inserts = puts.filter(isInsert);
    const inserted = new Set(inserts.map(keyOf));
    const absent = keys.filter((key) => !has(key) && !inserted.has(key));
    const unread = deletes.filter(({ key, isAlone }) => !read.has(key) && !isAlone);
    const upserts = [...puts.filter((row) => !isInsert(row)), ...unread.map(emptyRow)];
    await statementsDone([
      putRows(run, 'insert', { space, rows: [...inserts, ...absent.map((key) => emptyRow({ key }))] }),
      putRows(run, 'upsert', { space, rows: upserts }),
      deleteRows(run, space, [...new Set([...deletes.map(keyOf), ...absent])]),
      writeLogRow(run, target.logRowOf(operations)),
      ...(secondRows === undefined ? [] : putInSecondSpaces(run, all)),
    ]);
    if (all.length === 0) throw new NothingWritten();
  });
}

/** The keys that the first `count` transactions read, without those of the header and of second spaces. */
function keysOf({ transactions, keys }: Group, count: number): readonly string[] {
  if (count === transactions.length) return keys;
  const read = new Set(transactions.slice(0, count).flatMap((one) => one.keys));
  return keys.filter((key) => read.has(key));
}

/** Puts rows of second spaces, which are locked. */
function putInSecondSpaces(run: Run, operations: readonly RowOperation[]): Promise<unknown>[] {
  const { puts } = lastOperations(operations.filter(({ key }) => isOfSecondSpace(key)));
  return puts.map(async ({ key: marked, value }) => {
    const { space, key } = splitKey(marked);
    await putRows(run, 'upsert', { space: Buffer.from(space), rows: [{ key, value }] });
  });
}

/**
 * Waits for the statements of a transaction. When one has failed, the database refuses those after it, which the driver
 * may say first: so this rejects as the first of them, in their order.
 */
async function statementsDone(statements: readonly Promise<unknown>[]): Promise<void> {
  await allSettledOrThrow(statements);
}

/** The group is rolled back: a commit would wait for the disk, because a lock is a change of a row. */
class NothingWritten extends Error {}

/** The group changes the header, for which it needs another lock. */
class HeaderChange extends Error {}

/** The database has no lock for a change of the header. */
class NoTableLock extends Error {}

/** The group was decided as if there were no header, but there is one. */
class HeaderFound extends Error {}

function isOnHeader({ key }: RowOperation): boolean {
  return key === headerKey;
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
