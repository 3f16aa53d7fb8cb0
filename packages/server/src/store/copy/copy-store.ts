import { RowUnreadable } from '../../drive/contents/row-contents.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { createSemaphore } from '../../lib/concurrency/semaphore.js';
import { randomId } from '../../lib/random-id.js';
import { OperatorError } from '../../operator-error.js';
import { addProblem } from '../problems.js';
import { claim, isCopied } from './claim.js';
import { createBlobCopier } from './copy-blob.js';
import type { CopyRun } from './copy-run.js';
import { copySpace } from './copy-space.js';
import { merge } from './merge.js';
import { type CopyProgress, countBytes, createMeter } from './progress.js';
import { createRemovedBlobs } from './removed-blobs.js';
import { type CopyReport, emptyCopyReport } from './report.js';
import { refuseRunningServer } from './running-server.js';
import { noThrottle, type Throttle } from './throttle.js';
import { verifyBlobs } from './verify-blobs.js';

export interface CopyOptions {
  readonly source: Store;
  readonly destination: Store;
  /** Makes the destination equal to the source even if it holds something else. */
  readonly overwrite: boolean;
  /** Reads every blob of the destination again, and copies the wrong ones again. */
  readonly verify: boolean;
  /** Blobs that are copied at a time: few if requests have priority. */
  readonly blobsAtOnce: number;
  /**
   * Keeps the bytes of overwritten and deleted files of the source until the returned function is called. Absent when no
   * server runs in this process.
   */
  readonly holdGarbage?: () => () => void;
  /** If absent, the copy makes no pauses. */
  readonly throttle?: Throttle;
  readonly listen: (progress: CopyProgress) => void;
  /** Ends the copy. What was copied stays, and the next run continues from there. */
  readonly signal?: AbortSignal | undefined;
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
  const { source, destination, overwrite, signal, listen, throttle = noThrottle } = options;
  const startMs = performance.now();
  const report = emptyCopyReport();
  const meter = createMeter(listen);
  await refuseSameBlobs(source, destination);
  await refuseRunningServer(destination.items);
  const claimed = await claim(source, destination, overwrite);

  let failure: { readonly cause: unknown } | undefined;
  const throwIfEnded = () => {
    if (failure !== undefined) throw failure.cause;
    if (signal?.aborted) throw new OperatorError('The copy was ended before it was done: run it again');
  };
  const betweenSteps = async () => {
    await throttle();
    throwIfEnded();
  };
  let heldUntilMs = 0;
  const run: CopyRun = {
    source,
    destination,
    copier: createBlobCopier({
      source: source.blobs,
      destination: destination.blobs,
      moved: meter.moved,
      throwIfEnded,
    }),
    semaphore: createSemaphore(() => options.blobsAtOnce),
    removedBlobs: createRemovedBlobs(destination),
    present: claimed.isFresh ? 'none' : claimed.isIncomplete ? 'doubtful' : 'whole',
    holdGarbage: options.holdGarbage ?? (() => () => {}),
    report,
    meter,
    throwIfEnded,
    betweenSteps,
    fail: (cause) => {
      failure ??= { cause };
    },
    async beforeWrite() {
      throwIfEnded();
      if (performance.now() < heldUntilMs) return;
      await claimed.stillHeld();
      heldUntilMs = performance.now() + heldForMs;
    },
  };

  const totalBytes = claimed.totalBytes ?? (await countBytes(source.items, meter, betweenSteps));
  meter.begin('copying', totalBytes);
  for await (const pairs of merge(spacesOf(source), spacesOf(destination))) {
    for (const { left, right } of pairs) {
      const space = (left ?? right)?.key ?? '';
      await copySpace(run, space);
    }
  }
  const bytes = meter.passedBytes();

  await claimed.stillHeld();
  meter.begin('cleaning');
  await sweep(run, claimed.isIncomplete);
  if (options.verify) {
    meter.begin('verifying', bytes - report.rowBytes);
    await verifyBlobs(run);
  }
  await claimed.stillHeld();
  await claimed.end(bytes);
  report.seconds = (performance.now() - startMs) / 1000;
  return report;
}

async function* spacesOf({ items }: Store): AsyncGenerator<readonly { readonly key: string }[]> {
  for await (const key of items.spaces('')) if (isCopied(key)) yield [{ key }];
}

async function sweep({ removedBlobs, report }: CopyRun, all: boolean): Promise<void> {
  try {
    report.blobsDeleted = await removedBlobs.sweep(all);
  } catch (cause) {
    if (!(cause instanceof RowUnreadable)) throw cause;
    addProblem(report, { where: 'blobs', key: '', problem: `none was deleted: ${cause.message}` });
  }
}

/** If a test blob appears on both sides, they are the same place. There the copy would delete what it does not name. */
async function refuseSameBlobs(source: Store, destination: Store): Promise<void> {
  const id = randomId();
  await destination.blobs.write(id, [Buffer.from('Is this place the same?')]);
  try {
    for await (const _chunk of source.blobs.read(id)) break;
  } catch (cause) {
    if (cause instanceof BlobMissing) return;
    throw cause;
  } finally {
    await destination.blobs.delete([id]);
  }
  throw new OperatorError('--from and --to have the same bytes: give bytes a place of their own');
}
