import { setTimeout } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { shareRuns } from '../../lib/concurrency/share-runs.js';
import { OperatorError } from '../../operator-error.js';
import {
  type ChangeLog,
  type ChangeLogRules,
  encodeLogValue,
  type KeyOrder,
  type OnNoted,
} from '../change-log.js';
import type { Operation } from '../shared/group-commit.js';
import { isOfStatement, isUnknownStatement } from './errors.js';
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

/** `written` and `name` of `IdsInProgress`, in SQL. */
function idsInProgress(statement: string, written: string, name: string): Statement {
  const text = `SELECT lpad(pg_snapshot_xmin(now)::text, ${digits}, '0') AS lowest,
      lpad(pg_snapshot_xmax(now)::text, ${digits}, '0') AS unused, ${written} AS written, ${name} AS name
    FROM pg_current_snapshot() AS now`;
  return { name: statement, text };
}
const insertPlace = 'pg_current_wal_insert_lsn()';
const timelineDigits = 8;
/** The cluster, the database and the table, and the timeline, which is another one since a standby was promoted. */
const orderName = `concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
      (SELECT oid FROM pg_database WHERE datname = current_database()), 'basedrive_rows'::regclass::oid,
      left(pg_walfile_name(${insertPlace}), ${timelineDigits}))`;
const idsStatements = [
  idsInProgress('ids_and_order', `${insertPlace}::text`, orderName),
  // Services that store the log of the database in their own way may not say what its files are, or how far it was written.
  idsInProgress('ids_and_written', `${insertPlace}::text`, "''"),
  idsInProgress('ids_in_progress', 'NULL', "''"),
];
/** How far a place is behind the beginning of its page. */
const placeInPage = `pg_wal_lsn_diff($1::pg_lsn, '0/0') % current_setting('wal_block_size')::int`;
/** A page begins with a header of at most this many bytes. It is written with what comes after it. */
const pageHeaderBytes = 40;
/** Whether the log of the database is on the disk up to this place. */
const isFlushedTo: Statement = {
  name: 'is_flushed_to',
  text: `SELECT pg_wal_lsn_diff($1::pg_lsn, pg_current_wal_flush_lsn())
      <= CASE WHEN ${placeInPage} <= ${pageHeaderBytes} THEN ${placeInPage} ELSE 0 END AS flushed`,
};
/** Whether a standby had the log of its primary up to this place when it took over. Null since it was started again. */
const hadReplayed: Statement = {
  name: 'had_replayed',
  text: 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS replayed',
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
  /** That of the order; empty where the database does not say. */
  readonly name: string;
}

/** The last key that `complete` has given in an order. */
interface Given {
  readonly order: KeyOrder;
  /** Empty if it has given none. */
  readonly key: string;
  readonly written: string | null;
}

const askAgainMs = 5;
/** Writes of servers take less, unless the database is in trouble. */
const longestWaitMs = 1000;

/** The log of a database; undefined if its transactions have no ids that are comparable. */
export async function openLog(
  run: Run,
): Promise<Required<Pick<ChangeLog, 'complete' | 'caughtUp' | 'order' | 'soFar'>> | undefined> {
  const statement = await firstKnown(run, idsStatements);
  if (statement === undefined) return undefined;
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

  let given: Given = { order: { name: (await ids()).name, losses: 0 }, key: '', written: null };

  /**
   * Waits until the log of the database is on the disk up to there. After a crash, PostgreSQL gives an id once more if the
   * rollback of its transaction was not on the disk. A reader who was already beyond that id would miss what commits with it.
   */
  async function complete(): Promise<string> {
    const untilMs = performance.now() + longestWaitMs;
    const before = given;
    const { lowest, written, name } = await ids();
    // Another call has seen that the order is another one: this answer may be of the one before.
    if (given.order !== before.order) return await complete();
    if (name !== before.order.name || lowest < before.key) {
      await beginOrder(name, before.order);
      return await complete();
    }
    if (lowest === before.key) return lowest;
    while (written !== null && !(await isOnDisk(written))) {
      if (performance.now() > untilMs && given.key !== '') return given.key;
      await setTimeout(askAgainMs);
    }
    // Of two calls at once, the earlier one may end later.
    if (given.order === before.order && lowest > given.key) given = { ...given, key: lowest, written };
    return lowest;
  }
  const isOnDisk = async (written: string) =>
    ((await run(isFlushedTo, [written])).rows[0] as { readonly flushed: boolean }).flushed;

  async function beginOrder(name: string, order: KeyOrder): Promise<void> {
    const last = given;
    const isWhole = isPromoted(order.name, name) && (await hasAllTo(last.written));
    // Another call has begun it, or has given a later key: then it is asked again for that.
    if (given !== last) return;
    // Another standby may take over before a key of this one is given.
    given = { order: { name, losses: order.losses + (isWhole ? 0 : 1) }, key: '', written: last.written };
  }
  const hasAllTo = async (written: string | null) =>
    written !== null &&
    ((await run(hadReplayed, [written])).rows[0] as { readonly replayed: boolean | null }).replayed === true;

  return {
    complete,
    caughtUp: shareRuns(caughtUp),
    order: () => given.order,
    async soFar() {
      const { lowest, unused } = await ids();
      return { complete: lowest, unused };
    },
  };
}

async function firstKnown(run: Run, statements: readonly Statement[]): Promise<Statement | undefined> {
  for (const statement of statements) {
    try {
      await run(statement);
      return statement;
    } catch (cause) {
      if (isUnknownStatement(cause) || isRefused(cause)) continue;
      throw isOfServer(cause) ? stateUnreadable(cause) : cause;
    }
  }
  return undefined;
}

/** Whether the user may not call a function that everybody may call unless somebody forbids it. */
function isRefused(cause: unknown): boolean {
  return cause instanceof DatabaseError && cause.code === '42501';
}

/** Whether it is a failure of the files or of the inside of the server of the database. */
function isOfServer(cause: unknown): cause is DatabaseError {
  return cause instanceof DatabaseError && isOfStatement(cause) && /^(58|XX)/.test(cause.code ?? '');
}

/**
 * It may pass, and then the order has its name again. If the next statement were taken instead, all cursors would be refused:
 * so the operator decides.
 */
function stateUnreadable(cause: DatabaseError): OperatorError {
  return new OperatorError(
    `The database does not tell its state, by which cursors of changes stay valid: ${cause.message}. If this stays, take the right to call the function from the user of the database (REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC), or start with --keep-changes 0`,
    { cause },
  );
}

/**
 * Whether two names of orders differ in that a standby has taken over, once: what the first of two lacked, the log of the
 * second does not show.
 */
function isPromoted(before: string, now: string): boolean {
  const timeline = (name: string) => Number.parseInt(name.slice(-timelineDigits), 16);
  return (
    before.slice(0, -timelineDigits) === now.slice(0, -timelineDigits) &&
    timeline(now) === timeline(before) + 1
  );
}
