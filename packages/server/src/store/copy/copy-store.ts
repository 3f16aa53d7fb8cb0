import { RowUnreadable } from '../../drive/row-contents.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { randomId } from '../../lib/random-id.js';
import { OperatorError } from '../../operator-error.js';
import { claim, isCopied } from './claim.js';
import { createBlobCopier } from './copy-blob.js';
import { copySpace } from './copy-space.js';
import { countBytes } from './count-bytes.js';
import { createLimiter } from './limiter.js';
import { merge } from './merge.js';
import { fullPace, type Pace } from './pace.js';
import { type CopyProgress, createMeter } from './progress.js';
import { createRemovedBlobs } from './removed-blobs.js';
import { addCopyProblem, type CopyReport, emptyCopyReport } from './report.js';
import type { CopyRun } from './run.js';
import { refuseRunningServer } from './running-server.js';
import { verifyBlobs } from './verify-blobs.js';

export interface CopyParts {
  readonly source: Store;
  readonly destination: Store;
  /** Makes the destination equal, whatever it holds. */
  readonly overwrite: boolean;
  /** Reads every blob of the destination again, and copies those again that are wrong. */
  readonly verify: boolean;
  /** Blobs under way at a time: few where requests come first. */
  readonly blobsAtOnce: number;
  /** Full, when not given. */
  readonly pace?: Pace;
  readonly listen: (progress: CopyProgress) => void;
  /** Ends the copy; what was copied stays, and the next run goes on from there. */
  readonly signal?: AbortSignal | undefined;
}

/** How old the knowledge may be that nobody else uses the destination. */
const heldForMs = 2000;

/**
 * Makes the destination equal to the source, and moves only what differs: rows by comparing both sides in order,
 * blobs by the rows that name them. Every row of the destination, at any moment, names blobs that are there. While
 * others write to the source, the destination becomes what was read of it: run it again for what changed meanwhile.
 * What cannot be copied is told in the report, and the rest is copied. Rejects with `OperatorError` when the
 * destination is something else, or is taken by others, and with `StorageUnavailable` when an engine is away.
 */
export async function copyStore(parts: CopyParts): Promise<CopyReport> {
  const { source, destination, overwrite, signal, listen, pace = fullPace } = parts;
  const beganMs = Date.now();
  const startMs = performance.now();
  const report = emptyCopyReport();
  const meter = createMeter(listen);
  await refuseSameBlobs(source, destination);
  await refuseRunningServer(destination.items);
  const claimed = await claim(source, destination, overwrite);

  let failure: { readonly cause: unknown } | undefined;
  const goOn = () => {
    if (failure !== undefined) throw failure.cause;
    if (signal?.aborted) throw new OperatorError('The copy was ended before it was done: run it again');
  };
  const nextStep = async () => {
    await pace();
    goOn();
  };
  let heldUntilMs = 0;
  const run: CopyRun = {
    source,
    destination,
    copier: createBlobCopier({
      source: source.blobs,
      destination: destination.blobs,
      moved: meter.moved,
      goOn,
    }),
    limit: createLimiter(parts.blobsAtOnce),
    removedBlobs: createRemovedBlobs(destination),
    present: claimed.isFresh ? 'none' : claimed.isUnsettled ? 'doubtful' : 'whole',
    beganMs,
    report,
    meter,
    goOn,
    nextStep,
    fail: (cause) => {
      failure ??= { cause };
    },
    async beforeWrite() {
      goOn();
      if (performance.now() < heldUntilMs) return;
      await claimed.stillHeld();
      heldUntilMs = performance.now() + heldForMs;
    },
  };

  const totalBytes = claimed.totalBytes ?? (await countBytes(source.items, meter, nextStep));
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
  await sweep(run, claimed.isUnsettled);
  if (parts.verify) {
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
    addCopyProblem(report, { where: 'blobs', key: '', problem: `none was deleted: ${cause.message}` });
  }
}

/** Bytes that show at both sides are in one place: to make it equal to a part of itself would take the rest away. */
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
