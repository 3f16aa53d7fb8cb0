import { headerKey } from '../item-store.js';
import { bigintArray, byteaArray } from './bytea.js';
import { type NewLogRow, withLogRow } from './log-rows.js';
import type { Run, Statement } from './pool.js';

/** A row to write. */
export interface PutRow {
  readonly key: string;
  readonly value: Buffer;
  readonly dueSeconds?: number | undefined;
}

/** What to do with a key that has a row: overwrite the row, or fail with a duplicate key. */
export type PutMode = 'upsert' | 'insert';

/**
 * Up to this many rows are a list of values, which Citus sends to the shard of their space as it is. It plans the array
 * form as a copy through the coordinator. A list needs a prepared statement for each number of rows: 64 in all, 3 MB
 * of a connection's memory in the database. Measured on PostgreSQL 15 without syncs, a list takes 10% less time than
 * arrays at 1 to 25 rows, the same at 64, and 20% more at 1000; unprepared it takes 15% to 50% more.
 */
const maxListedRows = 32;

/** A statement with this condition does nothing if the space has a header. */
const noHeader = `NOT EXISTS (SELECT 1 FROM basedrive_rows WHERE space = $1 AND key = E'\\\\x${Buffer.from(headerKey).toString('hex')}')`;

const columns = '(space, key, value, due)';
const onConflict: Readonly<Record<PutMode, string>> = {
  upsert: ' ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, due = excluded.due',
  insert: '',
};

const arrayStatements: Readonly<Record<PutMode, Statement>> = {
  upsert: arrayStatement('upsert'),
  insert: arrayStatement('insert'),
};
const guardedArrayStatement: Statement = {
  name: 'upsert_arrays_guarded',
  text: arrayStatements.upsert.text.replace(' ORDER BY', ` WHERE ${noHeader} ORDER BY`),
};
const counts = Array.from({ length: maxListedRows }, (_, index) => index + 1);
const listStatements: Readonly<Record<PutMode, readonly Statement[]>> = {
  upsert: counts.map((count) => listStatement('upsert', count)),
  insert: counts.map((count) => listStatement('insert', count)),
};
const guardedListStatements: readonly Statement[] = counts.map(guardedListStatement);

function arrayStatement(mode: PutMode): Statement {
  return {
    name: `${mode}_arrays`,
    text: `INSERT INTO basedrive_rows ${columns} SELECT $1::bytea, k, v, d
      FROM unnest($2::bytea[], $3::bytea[], $4::bigint[]) AS given(k, v, d) ORDER BY k${onConflict[mode]}`,
  };
}

function guardedListStatement(count: number): Statement {
  const rows = Array.from(
    { length: count },
    (_, n) => `($${3 * n + 2}::bytea, $${3 * n + 3}::bytea, $${3 * n + 4}::bigint)`,
  );
  return {
    name: `upsert_${count}_guarded`,
    text: `INSERT INTO basedrive_rows ${columns} SELECT $1::bytea, k, v, d
      FROM (VALUES ${rows.join(', ')}) AS given(k, v, d) WHERE ${noHeader}${onConflict.upsert}`,
  };
}

function listStatement(mode: PutMode, count: number): Statement {
  const rows = Array.from({ length: count }, (_, n) => `($1, $${3 * n + 2}, $${3 * n + 3}, $${3 * n + 4})`);
  return {
    name: `${mode}_${count}`,
    text: `INSERT INTO basedrive_rows ${columns} VALUES ${rows.join(', ')}${onConflict[mode]}`,
  };
}

export interface PutRows {
  readonly space: Buffer;
  readonly rows: readonly PutRow[];
  /** Nothing is written if the space has a header. Only for upserts. */
  readonly unless?: 'header' | undefined;
  /** Written in the same statement. */
  readonly logRow?: NewLogRow | undefined;
}

/**
 * Writes rows of one space, no key twice, in one statement. It locks them in the order of their keys, as `lockRows`
 * does, so that servers that write the same rows wait for each other instead of running into a deadlock. Gives whether
 * it wrote them.
 */
export async function putRows(run: Run, mode: PutMode, puts: PutRows): Promise<boolean> {
  const { space, rows, unless } = puts;
  if (rows.length === 0) return true;
  const encoded = rows.map((row) => ({ ...row, key: Buffer.from(row.key) }));
  const isGuarded = unless !== undefined;
  const listStatement = (isGuarded ? guardedListStatements : listStatements[mode])[rows.length - 1];
  const arrayStatement = isGuarded ? guardedArrayStatement : arrayStatements[mode];
  const values =
    listStatement === undefined
      ? [
          byteaArray(encoded.map(({ key }) => key)),
          byteaArray(encoded.map(({ value }) => value)),
          bigintArray(encoded.map(({ dueSeconds }) => dueSeconds)),
        ]
      : encoded
          .sort((a, b) => a.key.compare(b.key))
          .flatMap(({ key, value, dueSeconds }) => [key, value, dueSeconds]);
  const { rowCount } = await runWithLogRow(run, puts, listStatement ?? arrayStatement, [space, ...values]);
  return rowCount === rows.length;
}

/** Runs a statement that writes a row of a log, too. */
async function runWithLogRow(
  run: Run,
  { logRow, unless }: Pick<PutRows, 'logRow' | 'unless'>,
  statement: Statement,
  values: readonly unknown[],
) {
  if (logRow === undefined) return await run(statement, values);
  const both = withLogRow(statement, values.length, unless && noHeader);
  return await run(both, [...values, logRow.log, logRow.value]);
}

const deleteStatement: Statement = {
  name: 'delete',
  text: 'DELETE FROM basedrive_rows WHERE space = $1 AND key = ANY($2::bytea[])',
};
/** Gives one row, which says whether the space has no header. */
const guardedDeleteStatement: Statement = {
  name: 'delete_guarded',
  text: `WITH deleted AS (${deleteStatement.text} AND ${noHeader}) SELECT ${noHeader} AS allowed`,
};

/**
 * Deletes rows of one space. Keys without a row are ignored. With `unless`, nothing is deleted if the space has a
 * header. Gives whether it deleted them.
 */
export async function deleteRows(
  run: Run,
  space: Buffer,
  keys: readonly string[],
  more: Pick<PutRows, 'logRow' | 'unless'> = {},
): Promise<boolean> {
  if (keys.length === 0) return true;
  const values = [space, keyArray(keys)];
  if (more.unless === undefined) {
    await runWithLogRow(run, more, deleteStatement, values);
    return true;
  }
  const { rows } = await runWithLogRow(run, more, guardedDeleteStatement, values);
  return (rows[0] as { readonly allowed: boolean }).allowed;
}

const lockTableStatement: Statement = {
  name: 'lock_table',
  text: 'LOCK TABLE basedrive_rows IN EXCLUSIVE MODE',
};

/** Waits for all transactions that lock or write rows, and excludes them until this transaction ends. */
export async function lockTable(run: Run): Promise<void> {
  await run(lockTableStatement);
}

const selectStatement: Statement = {
  name: 'select',
  text: 'SELECT key, value FROM basedrive_rows WHERE space = $1 AND key = ANY($2::bytea[])',
};

const lockStatement: Statement = {
  name: 'lock',
  text: `${selectStatement.text} ORDER BY key FOR UPDATE`,
};

type ReadRows = (run: Run, space: Buffer, keys: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;

/** The values of those keys that have a row. */
export const readRows = rowsOf(selectStatement);
/** The same, and locks these rows until the transaction ends, in the order of their keys. */
export const lockRows = rowsOf(lockStatement);

function rowsOf(statement: Statement): ReadRows {
  return async (run, space, keys) => {
    const { rows } = await run(statement, [space, keyArray(keys)]);
    const found = rows as readonly { readonly key: Buffer; readonly value: Buffer }[];
    return new Map(found.map(({ key, value }) => [key.toString(), value]));
  };
}

/** Rows, some of which are only known by their size. */
export interface SizedRows {
  readonly rows: ReadonlyMap<string, Buffer>;
  /** The sizes of the other rows. */
  readonly large: ReadonlyMap<string, number>;
}

/**
 * The value is fetched only of small rows. The database knows the size of a value without reading it. CockroachDB's sizes
 * are `int8`, which the driver would give as text.
 */
const selectSizedStatement: Statement = {
  name: 'select_sized',
  text: `SELECT key, CASE WHEN octet_length(value) <= $3 THEN value END AS value, octet_length(value)::int4 AS bytes
    FROM basedrive_rows WHERE space = $1 AND key = ANY($2::bytea[])`,
};
const lockSizedStatement: Statement = {
  name: 'lock_sized',
  text: `${selectSizedStatement.text} ORDER BY key FOR UPDATE`,
};

type ReadSizedRows = (
  run: Run,
  space: Buffer,
  keys: readonly string[],
  smallBytes: number,
) => Promise<SizedRows>;

/** The values of up to `smallBytes`, and the sizes of the others. */
export const readSizedRows = sizedRowsOf(selectSizedStatement);
/** The same, and locks these rows as `lockRows` does. */
export const lockSizedRows = sizedRowsOf(lockSizedStatement);

interface SizedRow {
  readonly key: Buffer;
  readonly value: Buffer | null;
  readonly bytes: number;
}

function sizedRowsOf(statement: Statement): ReadSizedRows {
  return async (run, space, keys, smallBytes) => {
    const found = await run(statement, [space, keyArray(keys), smallBytes]);
    const rows = new Map<string, Buffer>();
    const large = new Map<string, number>();
    for (const { key, value, bytes } of found.rows as readonly SizedRow[]) {
      if (value === null) large.set(key.toString(), bytes);
      else rows.set(key.toString(), value);
    }
    return { rows, large };
  };
}

function keyArray(keys: readonly string[]): Buffer {
  return byteaArray(keys.map((key) => Buffer.from(key)));
}
