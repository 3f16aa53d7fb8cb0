import type { Store } from '../../engines/store.js';
import { createSemaphore, type Semaphore } from '../../lib/concurrency/semaphore.js';
import { OperatorError } from '../../operator-error.js';
import { type BlobCopier, createBlobCopier } from './copy-blob.js';
import type { ClaimedDestination, Destination } from './copy-marker.js';
import type { Meter } from './progress.js';
import { createRemovedBlobs, type RemovedBlobs } from './removed-blobs.js';
import { type CopyReport, emptyCopyReport } from './report.js';
import { noThrottle, type Throttle } from './throttle.js';

/**
 * The state of the blobs at the destination when this run began. `none`: there were none, so a blob is copied without a
 * look-up. `whole`: an earlier run completed, so every blob is complete. `doubtful`: a killed process may have left
 * part of a blob, so a blob is read completely before the copy relies on it.
 */
export type BlobsAtDestination = 'none' | 'whole' | 'doubtful';

/** What the steps of one copy share. */
export interface CopyRun {
  readonly source: Store;
  readonly destination: Store;
  readonly copier: BlobCopier;
  /** Limits how many blobs are copied or read at a time. */
  readonly semaphore: Semaphore;
  readonly removedBlobs: RemovedBlobs;
  readonly blobsThere: BlobsAtDestination;
  /** Keeps the bytes of what the source deletes until the returned function is called. */
  readonly holdGarbage: () => () => void;
  readonly report: CopyReport;
  readonly meter: Meter;
  /** Throws if the copy must end, or if the destination is no longer claimed by it. Called before every write. */
  readonly beforeWrite: () => Promise<void>;
  /** Throws if the copy must end: it was aborted, or a part of it has failed. */
  readonly throwIfEnded: () => void;
  /** The same, after a pause in which requests are answered. */
  readonly betweenSteps: () => Promise<void>;
  /** Reports a failure: everything else in progress ends as well. */
  readonly fail: (cause: unknown) => void;
}

export interface CopySides {
  readonly source: Store;
  readonly destination: Destination;
  /** Blobs that are copied at a time: few if requests have priority. */
  readonly blobsAtOnce: number;
  /**
   * Keeps the bytes of overwritten and deleted files of the source until the returned function is called. Absent when no
   * server runs in this process.
   */
  readonly holdGarbage?: (() => () => void) | undefined;
  /** If absent, the copy makes no pauses. */
  readonly throttle?: Throttle | undefined;
  /** Ends the copy. What was copied stays, and the next run continues from there. */
  readonly signal?: AbortSignal | undefined;
}

interface RunOptions {
  readonly claimed: ClaimedDestination;
  readonly blobsThere: BlobsAtDestination;
  readonly meter: Meter;
  /** After this time, the claim of the destination is read again. */
  readonly heldForMs: number;
}

/** Begins a run, or a step of one that follows, to a destination that is claimed. */
export function createCopyRun(
  { source, destination, blobsAtOnce, holdGarbage, throttle = noThrottle, signal }: CopySides,
  { claimed, blobsThere, meter, heldForMs }: RunOptions,
): CopyRun {
  let failure: { readonly cause: unknown } | undefined;
  let heldUntilMs = 0;
  const throwIfEnded = () => {
    if (failure !== undefined) throw failure.cause;
    if (signal?.aborted) throw new OperatorError('The copy was ended before it was done: run it again');
  };
  return {
    source,
    destination,
    copier: createBlobCopier({
      source: source.blobs,
      destination: destination.blobs,
      moved: meter.moved,
      throwIfEnded,
    }),
    semaphore: createSemaphore(() => blobsAtOnce),
    removedBlobs: createRemovedBlobs(destination),
    blobsThere,
    holdGarbage: holdGarbage ?? (() => () => {}),
    report: emptyCopyReport(),
    meter,
    throwIfEnded,
    async betweenSteps() {
      await throttle();
      throwIfEnded();
    },
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
}
