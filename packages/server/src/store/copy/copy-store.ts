import { RowUnreadable } from '../../drive/contents/row-contents.js';
import type { Store } from '../../engines/store.js';
import { addProblem } from '../problems.js';
import { type ClaimedDestination, claimDestination, isCopied } from './copy-marker.js';
import { type CopyRun, type CopySides, createCopyRun } from './copy-run.js';
import { copySpace } from './copy-space.js';
import { merge } from './merge.js';
import { type CopyProgress, countBytes, createMeter } from './progress.js';
import type { CopyReport } from './report.js';
import { refuseRunningServer } from './running-server.js';
import { verifyBlobs } from './verify-blobs.js';

export interface CopyOptions extends CopySides {
  /** Makes the destination equal to the source even if it holds something else. */
  readonly overwrite: boolean;
  /** Reads every blob of the destination again, and copies the wrong ones again. */
  readonly verify: boolean;
  readonly listen: (progress: CopyProgress) => void;
}

/** After this time, the claim of the destination is read again. */
const heldForMs = 2000;

/**
 * Makes the destination equal to the source and moves only what differs: rows by comparing both sides in order, blobs
 * by the rows that name them. At every moment, the rows of the destination name only blobs that exist there, and one row
 * owns each. If others write to the source in the meantime, the destination gets what was read, each drive as it was at one
 * moment, and another run copies what has changed since.
 * What cannot be copied is in the report, and the rest is copied. Rejects with `OperatorError` when the destination
 * holds something else or is used by others, and with `StorageUnavailable` when an engine cannot be reached.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { source, destination, overwrite } = options;
  await refuseRunningServer(destination.items);
  const claimed = await claimDestination(source, destination, { overwrite });
  const { report, totalBytes } = await copyAll(options, claimed);
  await claimed.end(totalBytes);
  return report;
}

/** The same once the destination is claimed. Gives the bytes of the source, too. */
export async function copyAll(
  options: Omit<CopyOptions, 'overwrite'>,
  claimed: ClaimedDestination,
): Promise<{ readonly report: CopyReport; readonly totalBytes: number }> {
  const { source, destination } = options;
  const startMs = performance.now();
  const meter = createMeter(options.listen);
  const blobsThere = claimed.isFresh ? 'none' : claimed.isIncomplete ? 'doubtful' : 'whole';
  const run = createCopyRun(options, { claimed, blobsThere, meter, heldForMs });
  const { report } = run;

  const known = claimed.totalBytes ?? (await countBytes(source.items, meter, run.betweenSteps));
  meter.begin('copying', known);
  for await (const pairs of merge(spacesOf(source), spacesOf(destination))) {
    for (const { left, right } of pairs) {
      const space = (left ?? right)?.key ?? '';
      await copySpace(run, space);
    }
  }
  const totalBytes = meter.passedBytes();

  await claimed.stillHeld();
  meter.begin('cleaning');
  await sweep(run, claimed.isIncomplete);
  if (options.verify) {
    meter.begin('verifying', totalBytes - report.rowBytes);
    await verifyBlobs(run);
  }
  await claimed.stillHeld();
  report.seconds = (performance.now() - startMs) / 1000;
  return { report, totalBytes };
}

async function* spacesOf({ items }: Store): AsyncGenerator<readonly { readonly key: string }[]> {
  for await (const key of items.spaces('')) if (isCopied(key)) yield [{ key }];
}

export async function sweep({ removedBlobs, report }: CopyRun, all: boolean): Promise<void> {
  try {
    report.blobsDeleted = await removedBlobs.sweep(all);
  } catch (cause) {
    if (!(cause instanceof RowUnreadable)) throw cause;
    addProblem(report, 'blobs', '', `none was deleted: ${cause.message}`);
  }
}
