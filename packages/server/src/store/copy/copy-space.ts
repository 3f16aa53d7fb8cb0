import type { Put, ScannedRow } from '../../engines/item-store.js';
import { allSettledOrThrow } from '../../lib/all-settled.js';
import type { CopyRun } from './copy-run.js';
import { merge, type Pair } from './merge.js';
import { isSameRow, type Reconciled, reconcile } from './reconcile.js';
import { addSpace } from './report.js';
import { copiedBatches, rowBatches } from './row-batches.js';
import { createRowDigest, type RowSum, rowBytes } from './row-digest.js';

/** Limits of one transaction at the destination. */
const writeRows = 500;
const writeBytes = 1024 * 1024;

/**
 * Makes a space of the destination equal to that of the source: puts what is missing or differs, deletes what the
 * source does not have. The blobs that a row names are written before the row. What was written is read again, and its
 * count and checksum are compared with those of the rows that were read at the source.
 */
export async function copySpace(run: CopyRun, space: string): Promise<void> {
  const { source, destination, report } = run;
  const wanted = createRowDigest();
  const before = { put: report.rowsPut, deleted: report.rowsDeleted };
  for await (const pairs of merge(copiedBatches(source.items, space), rowBatches(destination.items, space))) {
    await run.betweenSteps();
    const keys = new Set(pairs.map(({ left }) => left?.key));
    const isInBatch = (key: string) => keys.has(key);
    const reconciled = await allSettledOrThrow(pairs.map((pair) => reconcile(run, space, pair, isInBatch)));
    wanted.add(
      reconciled.flatMap(({ row, dependencies }) => (row === undefined ? [] : [row, ...dependencies])),
    );
    await write(run, space, pairs, reconciled);
  }
  const rowsPut = report.rowsPut - before.put;
  const rowsDeleted = report.rowsDeleted - before.deleted;
  const sum = wanted.sum();
  // If nothing was written, all rows are equal: each was compared with its counterpart byte by byte.
  const there = rowsPut + rowsDeleted > 0 ? await sumOf(run, space) : sum;
  addSpace(report, { space, source: sum, destination: there, rowsPut, rowsDeleted });
}

async function sumOf({ destination, betweenSteps }: CopyRun, space: string): Promise<RowSum> {
  const digest = createRowDigest();
  for await (const rows of rowBatches(destination.items, space)) {
    await betweenSteps();
    digest.add(rows);
  }
  return digest.sum();
}

async function write(
  run: CopyRun,
  space: string,
  pairs: readonly Pair<ScannedRow>[],
  reconciled: readonly Reconciled[],
): Promise<void> {
  const { removedBlobs, report } = run;
  let puts: Put[] = [];
  let deletes: string[] = [];
  let bytes = 0;

  async function flush(): Promise<void> {
    if (puts.length + deletes.length === 0) return;
    await run.beforeWrite();
    const change = { puts, deletes, result: undefined };
    await run.destination.items.transact(space, [], () => change);
    report.rowsPut += puts.length;
    report.rowsDeleted += deletes.length;
    [puts, deletes, bytes] = [[], [], 0];
  }

  for (const [n, { right }] of pairs.entries()) {
    const { row, dependencies } = reconciled[n] ?? { row: undefined, dependencies: [] };
    if (row === undefined && right === undefined) continue;
    if (row !== undefined && right !== undefined && isSameRow(row, right)) continue;
    if (right !== undefined) removedBlobs.removed(space, right);
    if (row === undefined && right !== undefined) deletes.push(right.key);
    for (const put of row === undefined ? [] : [...dependencies, row]) {
      puts.push(put);
      bytes += rowBytes(put);
    }
    if (puts.length + deletes.length >= writeRows || bytes >= writeBytes) await flush();
  }
  await flush();
}
