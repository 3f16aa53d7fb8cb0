import { setTimeout } from 'node:timers/promises';
import { shareRuns } from '../../lib/concurrency/share-runs.js';
import { type ChangeLog, type ChangeLogRules, encodeLogValue, type OnNoted } from '../change-log.js';
import type { Operation } from '../shared/group-commit.js';
import { isUnknownStatement } from './errors.js';
import type { Run, Statement } from './pool.js';

/**
 * The log of changes in the table of the rows. The key of a row of it is the id of its transaction. Ids are given in
 * another order than that of commits, so a reader stops before the lowest id that is still in progress: `complete`. A
 * transaction that writes for long, anywhere in the cluster of databases, holds up readers and nobody else. The
 * alternatives: a counter would make all writers of a project wait for each other, and `NOTIFY` all of the database.
 */
const digits = 20;
const idKey = `convert_to(lpad(pg_current_xact_id()::text, ${digits}, '0'), 'UTF8')`;

/** A row of a log that is yet to be written. */
export interface NewLogRow {
  readonly log: Buffer;
  readonly value: Buffer;
  /** Who wants to know its key. */
  readonly told: readonly OnNoted[];
}

/** The changes that the commits of a database keep. */
export interface KeptChanges {
  /** Undefined until changes are kept. */
  rules: ChangeLogRules | undefined;
}

/** The row of a log for the operations of a group on a space; undefined if none is kept. */
export function logRowOf(
  { rules }: KeptChanges,
  space: string,
  operations: readonly Operation[],
): NewLogRow | undefined {
  const noted = rules?.notedRows(space);
  if (rules === undefined || noted === undefined) return undefined;
  const all = operations.filter(({ key }) => noted.isNoted(key));
  if (all.length === 0) return undefined;
  const keys = [...new Set(all.map(({ key }) => key))];
  const told = all.flatMap(({ onNoted = [] }) => onNoted);
  const atSeconds = Math.floor(rules.clock() / 1000);
  const value = encodeLogValue({ atSeconds, keys: { [space]: keys } });
  return { log: Buffer.from(noted.log), value, told };
}

const insertLogRow: Statement = {
  name: 'insert_log_row',
  text: `INSERT INTO basedrive_rows (space, key, value) VALUES ($1, ${idKey}, $2)`,
};

const insertToldLogRow: Statement = {
  name: 'insert_told_log_row',
  text: `${insertLogRow.text} RETURNING convert_from(key, 'UTF8') AS key`,
};

/** Writes a row of a log in a transaction, and tells its key. */
export async function writeLogRow(run: Run, row: NewLogRow | undefined): Promise<void> {
  if (row === undefined) return;
  const { log, value, told } = row;
  const { rows } = await run(told.length > 0 ? insertToldLogRow : insertLogRow, [log, value]);
  for (const tell of told) tell((rows[0] as { readonly key: string }).key);
}

const statementsWithLogRow = new Map<string, Statement>();

/**
 * The same statement, which writes a row of a log, too: its `log` and `value` come after its own `parameters`. `unless`:
 * the condition under which neither is written.
 */
export function withLogRow(statement: Statement, parameters: number, unless?: string): Statement {
  const name = `${statement.name}_with_log_row`;
  const known = statementsWithLogRow.get(name);
  if (known !== undefined) return known;
  const [log, value] = [`$${parameters + 1}::bytea`, `$${parameters + 2}::bytea`];
  const where = unless === undefined ? '' : ` WHERE ${unless}`;
  const noted = `noted AS (INSERT INTO basedrive_rows (space, key, value) SELECT ${log}, ${idKey}, ${value}${where})`;
  const { text } = statement;
  const whole = text.startsWith('WITH ')
    ? `WITH ${noted}, ${text.slice('WITH '.length)}`
    : `WITH ${noted} ${text}`;
  const made = { name, text: whole };
  statementsWithLogRow.set(name, made);
  return made;
}

function idsInProgress(name: string, written: string): Statement {
  const text = `SELECT lpad(pg_snapshot_xmin(now)::text, ${digits}, '0') AS lowest,
      lpad(pg_snapshot_xmax(now)::text, ${digits}, '0') AS unused, ${written} AS written
    FROM pg_current_snapshot() AS now`;
  return { name, text };
}
const idsAlone = idsInProgress('ids_in_progress', 'NULL');
const idsAndWritten = idsInProgress('ids_and_written', 'pg_current_wal_insert_lsn()::text');
/** Whether the log of the database is on the disk up to this place. */
const isFlushedTo: Statement = {
  name: 'is_flushed_to',
  text: 'SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn AS flushed',
};

interface IdsInProgress {
  /** The lowest id of a transaction in progress, or `unused`. */
  readonly lowest: string;
  /** The lowest id that no transaction has. */
  readonly unused: string;
  /**
   * How far the log of the database was written: the ends of all transactions before `lowest` are in it. Null where the
   * database does not say.
   */
  readonly written: string | null;
}

const askAgainMs = 5;
/** Writes of servers take less, unless the database is in trouble. */
const longestWaitMs = 1000;

/** The log of a database; undefined if its transactions have no ids that are comparable. */
export async function openLog(
  run: Run,
): Promise<Required<Pick<ChangeLog, 'complete' | 'caughtUp'>> | undefined> {
  let statement = idsAndWritten;
  const ids = async () => (await run(statement)).rows[0] as IdsInProgress;
  /** Was waited for in vain. */
  let stuck: string | undefined;

  async function caughtUp(): Promise<void> {
    const untilMs = performance.now() + longestWaitMs;
    const { lowest: first, unused } = await ids();
    for (let lowest = first; lowest < unused && lowest !== stuck; { lowest } = await ids()) {
      if (performance.now() > untilMs) {
        stuck = lowest;
        return;
      }
      await setTimeout(askAgainMs);
    }
  }

  /** The last answer of `complete`. */
  let durable = '';

  /**
   * Waits until the log of the database is on the disk up to there. After a crash, PostgreSQL gives an id once more if the
   * rollback of its transaction was not on the disk. A reader who was already beyond that id would miss what commits with it.
   */
  async function complete(): Promise<string> {
    const untilMs = performance.now() + longestWaitMs;
    const { lowest, written } = await ids();
    if (lowest === durable) return durable;
    while (written !== null && !(await isOnDisk(written))) {
      if (performance.now() > untilMs && durable !== '') return durable;
      await setTimeout(askAgainMs);
    }
    // Of two calls at once, the earlier one may end later.
    if (lowest > durable) durable = lowest;
    return lowest;
  }
  const isOnDisk = async (written: string) =>
    ((await run(isFlushedTo, [written])).rows[0] as { readonly flushed: boolean }).flushed;

  for (statement of [idsAndWritten, idsAlone]) {
    try {
      await ids();
      return { complete, caughtUp: shareRuns(caughtUp) };
    } catch (cause) {
      // Services that store the log of the database in their own way may not say how far it was written.
      if (!isUnknownStatement(cause)) throw cause;
    }
  }
  return undefined;
}
