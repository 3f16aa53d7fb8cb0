import type { Store } from '../../engines/store.js';
import type { Semaphore } from '../../lib/semaphore.js';
import type { BlobCopier } from './copy-blob.js';
import type { Meter } from './progress.js';
import type { RemovedBlobs } from './removed-blobs.js';
import type { CopyReport } from './report.js';

/**
 * What is known of the blobs that were at the destination when this run began. `none`: there were none, so nothing is
 * looked up before it is copied. `whole`: an earlier run completed, so each is whole. `doubtful`: a process that was
 * killed may have left a part of a blob, so a blob is read completely before it is relied on.
 */
export type Present = 'none' | 'whole' | 'doubtful';

/** What the steps of one copy share. */
export interface CopyRun {
  readonly source: Store;
  readonly destination: Store;
  readonly copier: BlobCopier;
  /** Bounds the blobs that are copied or read at a time. */
  readonly semaphore: Semaphore;
  readonly removedBlobs: RemovedBlobs;
  readonly present: Present;
  /** When the run began: milliseconds since 1970 UTC. */
  readonly beganMs: number;
  readonly report: CopyReport;
  readonly meter: Meter;
  /** Throws when the copy must end, or no longer has the destination. Called before every write. */
  readonly beforeWrite: () => Promise<void>;
  /** Throws when the copy must end: it was aborted, or a part of it has failed. */
  readonly throwIfEnded: () => void;
  /** The same, after a pause in which requests are answered. */
  readonly betweenSteps: () => Promise<void>;
  /** Reports a failure: everything else in progress ends as well. */
  readonly fail: (cause: unknown) => void;
}
