import { buildIndexesNow } from '../../base/indexes/building/build-now.js';
import { firstItemKey } from '../../base/indexes/entries/entries.js';
import { rowInCopy } from '../../base/indexes/row-in-copy.js';
import { driveSpaces } from '../../drive/contents/row-contents.js';
import type { ItemStore } from '../../engines/item-store.js';
import { baseSpaces } from '../../spaces.js';
import { copyDrive } from './copy-drive.js';
import type { CopyRun } from './copy-run.js';
import { merge } from './merge.js';
import { addSpace } from './report.js';
import { copiedBatches, isSameRow, rowBatches } from './row-batches.js';
import { createRowDigest, type RowDigest, type RowSum, rowBytes } from './row-digest.js';
import { createRowWriter } from './row-writer.js';

/**
 * Makes a space of the destination equal to that of the source: puts what is missing or differs, deletes what the
 * source does not have. What was written is read again, and its count and checksum are compared with those of the rows
 * that were read at the source.
 */
export async function copySpace(run: CopyRun, space: string): Promise<void> {
  const { report } = run;
  const wanted = createRowDigest();
  const before = { put: report.rowsPut, deleted: report.rowsDeleted };
  if (space.startsWith(driveSpaces)) await copyDrive(run, space, wanted);
  else if (space.startsWith(baseSpaces)) await copyBase(run, space, wanted);
  else await copyRows(run, space, wanted, { present: rowBatches(run.destination.items, space) });
  const rowsPut = report.rowsPut - before.put;
  const rowsDeleted = report.rowsDeleted - before.deleted;
  const sum = wanted.sum();
  // If nothing was written, all rows are equal: each was compared with its counterpart byte by byte.
  const there = rowsPut + rowsDeleted > 0 ? await sumOf(run, space) : sum;
  addSpace(report, { space, source: sum, destination: there, rowsPut, rowsDeleted });
  if (space.startsWith(baseSpaces)) await buildIndexes(run, space);
}

/**
 * The declarations and items of a base. The entries of the destination's indexes stay if nothing else changes; else they
 * go before the first change, so that no kill leaves some that do not fit the items.
 */
async function copyBase(run: CopyRun, space: string, wanted: RowDigest): Promise<void> {
  const { items } = run.destination;
  let hasEntries = true;
  const present = copiedBatches(items, space);
  const beforeChange = async () => {
    if (!hasEntries) return;
    hasEntries = false;
    const writer = createRowWriter(run, space);
    for await (const rows of rowBatches(items, space)) {
      await run.betweenSteps();
      for (const row of rows) {
        const copied = rowInCopy(row);
        if (copied === undefined) await writer.add({ deletes: [row.key] });
        else if (!isSameRow(row, copied)) await writer.add({ puts: [copied] });
      }
      await writer.flush();
      if (rows.some(({ key }) => key >= firstItemKey)) return;
    }
  };
  await copyRows(run, space, wanted, { present, beforeChange });
}

/** So whoever opens the copy has its indexes at once. */
async function buildIndexes(run: CopyRun, space: string): Promise<void> {
  const { items } = run.destination;
  const paced: ItemStore = {
    ...items,
    async transact(of, keys, decide, options) {
      await run.betweenSteps();
      await run.beforeWrite();
      return await items.transact(of, keys, decide, options);
    },
  };
  await buildIndexesNow(paced, space, Date.now);
}

interface Destination {
  /** What is there. */
  readonly present: ReturnType<typeof rowBatches>;
  /** Called before each change. */
  readonly beforeChange?: () => Promise<void>;
}

/** Each row as it is at some moment: no row needs another one. */
async function copyRows(
  run: CopyRun,
  space: string,
  wanted: RowDigest,
  { present, beforeChange = async () => {} }: Destination,
): Promise<void> {
  const { source, report, meter } = run;
  const writer = createRowWriter(run, space);
  for await (const pairs of merge(copiedBatches(source.items, space), present)) {
    await run.betweenSteps();
    for (const { left, right } of pairs) {
      if (left !== undefined) {
        meter.row();
        meter.passed(rowBytes(left));
        wanted.add([left]);
        if (right !== undefined && isSameRow(left, right)) continue;
        await beforeChange();
        report.rowsPut++;
        await writer.add({ puts: [left] });
      } else if (right !== undefined) {
        await beforeChange();
        report.rowsDeleted++;
        await writer.add({ deletes: [right.key] });
      }
    }
    await writer.flush();
  }
}

async function sumOf({ destination, betweenSteps }: CopyRun, space: string): Promise<RowSum> {
  const digest = createRowDigest();
  for await (const rows of rowBatches(destination.items, space)) {
    await betweenSteps();
    digest.add(rows);
  }
  return digest.sum();
}
