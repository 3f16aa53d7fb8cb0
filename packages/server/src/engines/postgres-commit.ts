import { setTimeout } from 'node:timers/promises';
import type { CommitGroup, Operation } from './group-commit.js';
import { bigintArray, byteaArray } from './postgres-bytes.js';
import { isConflict, rowsFailure } from './postgres-failure.js';
import type { PostgresPool, Run, Statement } from './postgres-pool.js';

/** An operation with what the group need not know: when the row is due. */
export type RowOperation = Operation & { readonly dueSeconds?: number | undefined };
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
 * Commits the groups of one space. What reads nothing is one statement. What reads locks its rows first, in the order
 * of their keys; a key that had no row has nothing to lock, so a row that is put there is inserted, and one that is
 * not is inserted and deleted again: if another transaction has put one meanwhile, or does so at the same moment,
 * the unique index tells, and the group is decided again. So whatever was read still holds when the group commits.
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
    const changes = lastOfEach(operations);
    const puts = changes.filter(isPut);
    const deletes = changes.filter((change) => !isPut(change)).map((change) => change.key);
    const apply = (run: Run) => [put(run, upsert, puts), take(run, deletes)];
    // One statement is a transaction by itself.
    if (puts.length === 0 || deletes.length === 0) await Promise.all(apply(pool.run));
    else await pool.transact(begin, (run) => Promise.all(apply(run)));
  }

  async function commitReading(keys: readonly string[], decide: Decide): Promise<void> {
    await pool.transact(begin, async (run) => {
      const locked = await run(lock, [spaceBytes, keyArray(keys)]);
      const rows = new Map((locked.rows as Locked[]).map(({ key, value }) => [key.toString(), value]));
      const changes = lastOfEach(decide((key) => rows.get(key)));
      // Alone, a read that changes nothing is true at its moment.
      if (changes.length === 0 && keys.length === 1) return;
      const absent = new Set(keys.filter((key) => !rows.has(key)));
      const puts = changes.filter(isPut);
      const fresh = puts.filter((change) => absent.has(change.key));
      for (const { key } of fresh) absent.delete(key);
      const deletes = changes.filter((change) => !isPut(change)).map((change) => change.key);
      await Promise.all([
        put(run, insert, [...fresh, ...[...absent].map(placeholder)]),
        put(
          run,
          upsert,
          puts.filter((change) => !fresh.includes(change)),
        ),
        take(run, [...new Set([...deletes, ...absent])]),
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

function isPut(operation: RowOperation): operation is Put {
  return operation.type === 'put';
}

function placeholder(key: string): Put {
  return { type: 'put', key, value: Buffer.alloc(0) };
}

/** Of several operations on one row the last counts: a statement may touch a row once. */
function lastOfEach(operations: readonly RowOperation[]): readonly RowOperation[] {
  return [...new Map(operations.map((operation) => [operation.key, operation])).values()];
}
