import { driveSpaces } from '../../drive/contents/row-contents.js';
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
  else await copyRows(run, space, wanted);
  const rowsPut = report.rowsPut - before.put;
  const rowsDeleted = report.rowsDeleted - before.deleted;
  const sum = wanted.sum();
  // If nothing was written, all rows are equal: each was compared with its counterpart byte by byte.
  const there = rowsPut + rowsDeleted > 0 ? await sumOf(run, space) : sum;
  addSpace(report, { space, source: sum, destination: there, rowsPut, rowsDeleted });
}

/** Each row as it is at some moment: no row needs another one. */
async function copyRows(run: CopyRun, space: string, wanted: RowDigest): Promise<void> {
  const { source, destination, report, meter } = run;
  const writer = createRowWriter(run, space);
  for await (const pairs of merge(copiedBatches(source.items, space), rowBatches(destination.items, space))) {
    await run.betweenSteps();
    for (const { left, right } of pairs) {
      if (left !== undefined) {
        meter.row();
        meter.passed(rowBytes(left));
        wanted.add([left]);
        if (right !== undefined && isSameRow(left, right)) continue;
        report.rowsPut++;
        await writer.add({ puts: [left] });
      } else if (right !== undefined) {
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
