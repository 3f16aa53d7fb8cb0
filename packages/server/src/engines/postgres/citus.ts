import { OperatorError } from '../../operator-error.js';
import type { Run } from './pool.js';

/**
 * Citus, an extension of PostgreSQL, distributes a table over the shards by one column. If it is `space`,
 * every transaction of the engine is on one shard. If it is another column, the rows that a transaction locks are on
 * several shards, which Citus refuses.
 */
const distributionColumn = 'space';

const findExtension = {
  name: 'find_citus',
  text: `SELECT 1 FROM pg_extension WHERE extname = 'citus'`,
};
const findDistribution = {
  name: 'find_distribution',
  text: `SELECT column_to_column_name(logicalrelid, partkey) AS column FROM pg_dist_partition
    WHERE logicalrelid = 'basedrive_rows'::regclass`,
};
const distribute = {
  name: 'distribute',
  text: `SELECT create_distributed_table('basedrive_rows', '${distributionColumn}')`,
};

/**
 * Distributes the table if Citus is there and the table is not distributed. Gives whether it distributed it. Throws
 * like `checkDistribution`.
 */
export async function distributeRows(run: Run): Promise<boolean> {
  const distribution = await readDistribution(run);
  refuseOtherColumn(distribution);
  if (distribution !== 'undistributed') return false;
  await run(distribute);
  return true;
}

/** Throws `OperatorError` if Citus distributes the table by a column with which the engine cannot keep its contract. */
export async function checkDistribution(run: Run): Promise<void> {
  refuseOtherColumn(await readDistribution(run));
}

/** Whether Citus distributes the table, so that it has no common order of its commits. */
export async function isDistributed(run: Run): Promise<boolean> {
  return typeof (await readDistribution(run)) === 'object';
}

function refuseOtherColumn(distribution: Distribution): void {
  if (typeof distribution !== 'object') return;
  // A table on a single shard, or with a copy on each shard, has no such column.
  const { column } = distribution;
  if (column === null || column === distributionColumn) return;
  throw new OperatorError(
    `Citus distributes basedrive_rows by ${column}, where updates, inserts and deletes of files fail: stop all ` +
      `servers, and run SELECT alter_distributed_table('basedrive_rows', distribution_column := 'space')`,
  );
}

type Distribution = 'no Citus' | 'undistributed' | { readonly column: string | null };

async function readDistribution(run: Run): Promise<Distribution> {
  const { rows: extensions } = await run(findExtension);
  if (extensions.length === 0) return 'no Citus';
  const { rows } = await run(findDistribution);
  return (rows[0] as { readonly column: string | null } | undefined) ?? 'undistributed';
}
