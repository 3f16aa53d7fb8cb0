import type { Store } from '../../engines/store.js';
import type { Semaphore } from '../../lib/concurrency/semaphore.js';
import type { BlobCopier } from './copy-blob.js';
import type { Meter } from './progress.js';
import type { RemovedBlobs } from './removed-blobs.js';
import type { CopyReport } from './report.js';

/**
 * The state of the blobs at the destination when this run began. `none`: there were none, so a blob is copied without a
 * look-up. `whole`: an earlier run completed, so every blob is complete. `doubtful`: a killed process may have left
 * part of a blob, so a blob is read completely before the copy relies on it.
 */
export type Present = 'none' | 'whole' | 'doubtful';

/** What the steps of one copy share. */
export interface CopyRun {
  readonly source: Store;
  readonly destination: Store;
  readonly copier: BlobCopier;
  /** Limits how many blobs are copied or read at a time. */
  readonly semaphore: Semaphore;
  readonly removedBlobs: RemovedBlobs;
  readonly present: Present;
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
