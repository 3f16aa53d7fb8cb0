import { type ChangeLog, type ChangeLogRules, encodeNoted } from '../change-log.js';
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

/** What a group notes, as a row of a log. */
export interface NotedRow {
  readonly log: Buffer;
  readonly value: Buffer;
}

/** What the commits of a database note. */
export interface Noting {
  /** Undefined until changes are kept. */
  rules: ChangeLogRules | undefined;
}

/** What a group notes of the operations on a space; undefined if nothing. */
export function noteOf(
  { rules }: Noting,
  space: string,
  operations: readonly Operation[],
): NotedRow | undefined {
  const noted = rules?.notedRows(space);
  if (rules === undefined || noted === undefined) return undefined;
  const keys = [...new Set(operations.map(({ key }) => key).filter(noted.isNoted))];
  if (keys.length === 0) return undefined;
  const atSeconds = Math.floor(rules.clock() / 1000);
  return { log: Buffer.from(noted.log), value: encodeNoted({ atSeconds, keys: { [space]: keys } }) };
}

const insertNoted: Statement = {
  name: 'insert_noted',
  text: `INSERT INTO basedrive_rows (space, key, value) VALUES ($1, ${idKey}, $2)`,
};

/** Writes a row of a log in a transaction. */
export async function writeNoted(run: Run, noted: NotedRow | undefined): Promise<void> {
  if (noted !== undefined) await run(insertNoted, [noted.log, noted.value]);
}

const noting = new Map<string, Statement>();

/**
 * The same statement, which writes a row of a log, too: its `log` and `value` come after its own `parameters`. `unless`:
 * the condition under which neither is written.
 */
export function withNoted(statement: Statement, parameters: number, unless?: string): Statement {
  const name = `${statement.name}_noted`;
  const known = noting.get(name);
  if (known !== undefined) return known;
  const [log, value] = [`$${parameters + 1}::bytea`, `$${parameters + 2}::bytea`];
  const where = unless === undefined ? '' : ` WHERE ${unless}`;
  const noted = `noted AS (INSERT INTO basedrive_rows (space, key, value) SELECT ${log}, ${idKey}, ${value}${where})`;
  const { text } = statement;
  const whole = text.startsWith('WITH ')
    ? `WITH ${noted}, ${text.slice('WITH '.length)}`
    : `WITH ${noted} ${text}`;
  const made = { name, text: whole };
  noting.set(name, made);
  return made;
}

const lowestInProgress: Statement = {
  name: 'lowest_in_progress',
  text: `SELECT lpad(pg_snapshot_xmin(pg_current_snapshot())::text, ${digits}, '0') AS next`,
};

/** The log of a database; undefined if its transactions have no ids that are comparable. */
export async function openChangeLog(run: Run): Promise<ChangeLog | undefined> {
  const complete = async () => {
    const { rows } = await run(lowestInProgress);
    return (rows[0] as { readonly next: string }).next;
  };
  try {
    await complete();
  } catch (cause) {
    if (isUnknownStatement(cause)) return undefined;
    throw cause;
  }
  return { complete };
}
