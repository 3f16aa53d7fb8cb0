import { type Finding, warning } from '../../lib/finding.js';
import type { Statement } from './pool.js';

/**
 * The transaction that has written and not ended for the longest time, in any database of the cluster: until it ends, the
 * changes after it are given to nobody (log-rows.ts). A user without `pg_read_all_stats` sees only those of its own, and
 * prepared ones.
 */
export const oldestWriting: Statement = {
  name: 'oldest_writing',
  text: `SELECT what, advice, floor(extract(epoch FROM clock_timestamp() - began)) AS seconds FROM (
      SELECT format('of user %s in database %s', usename, datname) AS what,
        format('SELECT pg_terminate_backend(%s)', pid) AS advice, xact_start AS began
      FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
      UNION ALL
      SELECT format('that is prepared as %s, in database %s,', quote_literal(gid), database),
        format('ROLLBACK PREPARED %s', quote_literal(gid)), prepared
      FROM pg_prepared_xacts
    ) AS writing WHERE began IS NOT NULL ORDER BY began LIMIT 1`,
};

interface Writing {
  readonly what: string;
  readonly advice: string;
  readonly seconds: string;
}

/** Writes of servers take less, unless the database is in trouble. */
const usualSeconds = 5;

/** Says what holds changes up, of the rows of `oldestWriting`; nothing if nothing does. */
export function heldUpChanges(rows: readonly unknown[]): readonly Finding[] {
  const [oldest] = rows as readonly Writing[];
  if (oldest === undefined || Number(oldest.seconds) < usualSeconds) return [];
  const { what, advice, seconds } = oldest;
  const found = `a transaction ${what} has been open for ${seconds} s: those who follow changes get no later ones`;
  return [warning('changes', found, `Let it end, or end it: ${advice}`)];
}
