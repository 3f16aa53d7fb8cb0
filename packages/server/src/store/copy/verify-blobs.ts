import { WrongBytes } from '../../drive/contents/checksums.js';
import { RowUnreadable } from '../../drive/contents/row-contents.js';
import type { Piece } from '../../drive/rows.js';
import type { ScannedRow } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import { addProblem } from '../problems.js';
import type { CopyRun } from './copy-run.js';
import { neededBlobs } from './named-blobs.js';
import { rowBatches } from './row-batches.js';

/**
 * Reads every blob that the rows of the destination name, and compares size and CRC-32 with what they say. One that
 * is wrong or missing is copied again. If the source does not have it either, that is a problem in the report.
 */
export async function verifyBlobs(run: CopyRun): Promise<void> {
  const { destination, betweenSteps } = run;
  for await (const space of destination.items.spaces('drive/')) {
    for await (const rows of rowBatches(destination.items, space)) {
      await betweenSteps();
      await allSettledOrThrow(rows.map((row) => verifyRow(run, space, row)));
    }
  }
}

async function verifyRow(run: CopyRun, space: string, row: ScannedRow): Promise<void> {
  const { destination, semaphore, report, meter, fail } = run;
  try {
    meter.row();
    const pieces = await neededBlobs(destination.items, space, row);
    await allSettledOrThrow(pieces.map((piece) => semaphore(() => verifyBlob(run, piece))));
  } catch (cause) {
    const isOfRow =
      cause instanceof BlobMissing || cause instanceof WrongBytes || cause instanceof RowUnreadable;
    if (isOfRow) {
      addProblem(report, space, row.key, `at the destination: ${cause.message}`);
      return;
    }
    fail(cause);
    throw cause;
  }
}

async function verifyBlob({ destination, copier, report, meter }: CopyRun, piece: Piece): Promise<void> {
  const wrong = await copier.wrong(piece);
  report.blobsVerified++;
  meter.blob();
  meter.moved(piece.sizeBytes);
  if (wrong === undefined) return;
  await destination.blobs.delete([piece.id]);
  await copier.copy(piece);
  report.blobsMended++;
}
