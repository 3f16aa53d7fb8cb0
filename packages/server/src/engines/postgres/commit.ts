import { setTimeout } from 'node:timers/promises';
import type { CommitGroup, Operation } from '../shared/group-commit.js';
import { bigintArray, byteaArray } from './bytea.js';
import { isConflict, rowsFailure } from './errors.js';
import type { PostgresPool, Run, Statement } from './pool.js';

/** An operation with what the group need not know. */
export type RowOperation = Operation & {
  readonly dueSeconds?: number | undefined;
  /** It is all that its transaction does. */
  readonly isAlone: boolean;
};
type Put = Extract<RowOperation, { readonly type: 'put' }>;

const columns = '(space, key, value, due)';
const given =
  'SELECT $1::bytea, k, v, d FROM unnest($2::bytea[], $3::bytea[], $4::bigint[]) AS given(k, v, d)';

const upsert: Statement = {
  name: 'upsert',
  // In the order of keys, so that servers that write the same rows wait for each other and not in a circle.
  text: `INSERT INTO basedrive_rows ${columns} ${given} ORDER BY k
    ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, due = excluded.due`,
};
const insert: Statement = {
  name: 'insert',
  text: `INSERT INTO basedrive_rows ${columns} ${given} ORDER BY k`,
};
const remove: Statement = {
  name: 'remove',
  text: 'DELETE FROM basedrive_rows WHERE space = $1 AND key = ANY($2::bytea[])',
};
const lock: Statement = {
  name: 'lock',
  text: `SELECT key, value FROM basedrive_rows WHERE space = $1 AND key = ANY($2::bytea[])
    ORDER BY key FOR UPDATE`,
};

const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** How often a group is decided again over what others have committed meanwhile, and the longest pause between. */
const maxAttempts = 30;
const maxPauseMs = 250;

type Decide = Parameters<CommitGroup<RowOperation>>[1];

/**
 * Commits the groups of one space. What only puts is one statement. What reads locks its rows first, in the order
 * of their keys; a key that had no row has nothing to lock, so a row that is put there is inserted, and one that is
 * not is inserted and deleted again: if another transaction has put one meanwhile, or does so at the same moment,
 * the unique index tells, and the group is decided again. So whatever was read still holds when the group commits.
 *
 * A delete does not see a row that another transaction has put and not yet committed. When it is all that its
 * transaction does, it simply came first. Otherwise the row is put before it is deleted, which waits for the other.
 * So every key that a transaction of several reads or writes is locked until it commits, row or no row.
 */
export function createPostgresCommit(pool: PostgresPool, space: string): CommitGroup<RowOperation> {
  const spaceBytes = Buffer.from(space);

  return async (keys, decide) => {
    for (let attempt = 1; ; attempt++) {
      try {
        if (keys.length > 0) await commitReading([...new Set(keys)], decide);
        else await commitBlind(decide(() => undefined));
        return;
      } catch (cause) {
        if (!isConflict(cause) || attempt === maxAttempts) throw rowsFailure(cause);
        await setTimeout(Math.random() * Math.min(2 ** attempt, maxPauseMs));
      }
    }
  };

  async function commitBlind(operations: readonly RowOperation[]): Promise<void> {
    const { puts, deletes } = sorted(operations);
    const upserts = [...puts, ...deletes.filter(({ isAlone }) => !isAlone).map(placeholder)];
    const apply = (run: Run) => [put(run, upsert, upserts), take(run, deletes.map(keyOf))];
    // One statement is a transaction by itself.
    if (upserts.length === 0 || deletes.length === 0) await Promise.all(apply(pool.run));
    else {
      await pool.transact(begin, async ({ begun, run }) => {
        await begun;
        await Promise.all(apply(run));
      });
    }
  }

  async function commitReading(keys: readonly string[], decide: Decide): Promise<void> {
    await pool.transact(begin, async ({ begun, run }) => {
      const [locked] = await Promise.all([run(lock, [spaceBytes, keyArray(keys)]), begun]);
      const rows = new Map((locked.rows as Locked[]).map(({ key, value }) => [key.toString(), value]));
      const { puts, deletes } = sorted(decide((key) => rows.get(key)));
      // Alone, a read that changes nothing is true at its moment.
      if (puts.length + deletes.length === 0 && keys.length === 1) return;
      const read = new Set(keys);
      const isFresh = ({ key }: RowOperation) => read.has(key) && !rows.has(key);
      const fresh = puts.filter(isFresh);
      const filled = new Set(fresh.map(keyOf));
      const absent = keys.filter((key) => !rows.has(key) && !filled.has(key));
      const unread = deletes.filter(({ key, isAlone }) => !read.has(key) && !isAlone);
      await Promise.all([
        put(run, insert, [...fresh, ...absent.map((key) => placeholder({ key }))]),
        put(run, upsert, [...puts.filter((change) => !isFresh(change)), ...unread.map(placeholder)]),
        take(run, [...new Set([...deletes.map(keyOf), ...absent])]),
      ]);
    });
  }

  async function put(run: Run, statement: Statement, puts: readonly Put[]): Promise<void> {
    if (puts.length === 0) return;
    await run(statement, [
      spaceBytes,
      keyArray(puts.map(({ key }) => key)),
      byteaArray(puts.map(({ value }) => value)),
      bigintArray(puts.map(({ dueSeconds }) => dueSeconds)),
    ]);
  }

  async function take(run: Run, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await run(remove, [spaceBytes, keyArray(keys)]);
  }
}

interface Locked {
  readonly key: Buffer;
  readonly value: Buffer;
}

function keyArray(keys: readonly string[]): Buffer {
  return byteaArray(keys.map((key) => Buffer.from(key)));
}

function keyOf({ key }: RowOperation): string {
  return key;
}

function placeholder({ key }: { readonly key: string }): Put {
  return { type: 'put', key, value: Buffer.alloc(0), isAlone: false };
}

/** Of several operations on one row the last counts: a statement may touch a row once. */
function sorted(operations: readonly RowOperation[]) {
  const last = new Map<string, RowOperation>();
  for (const operation of operations) {
    const isAlone = operation.isAlone && (last.get(operation.key)?.isAlone ?? true);
    last.set(operation.key, { ...operation, isAlone });
  }
  const puts: Put[] = [];
  const deletes: RowOperation[] = [];
  for (const operation of last.values()) {
    if (operation.type === 'put') puts.push(operation);
    else deletes.push(operation);
  }
  return { puts, deletes };
}
