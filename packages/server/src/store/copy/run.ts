import type { Store } from '../../engines/store.js';
import type { BlobCopier } from './copy-blob.js';
import type { Limiter } from './limiter.js';
import type { Meter } from './progress.js';
import type { RemovedBlobs } from './removed-blobs.js';
import type { CopyReport } from './report.js';

/**
 * What the blobs are that lay at the destination when this run began: there were none, so nothing is looked for
 * before it is copied; whole, as a run left them that came to its end; or doubtful, since a process that is killed may
 * leave half a blob, so that one which no row of the destination vouches for is read before it is relied on.
 */
export type Present = 'none' | 'whole' | 'doubtful';

/** What the steps of one copy share. */
export interface CopyRun {
  readonly source: Store;
  readonly destination: Store;
  readonly copier: BlobCopier;
  /** Bounds the blobs under way. */
  readonly limit: Limiter;
  readonly removedBlobs: RemovedBlobs;
  readonly present: Present;
  /** When the run began: milliseconds since 1970 UTC. */
  readonly beganMs: number;
  readonly report: CopyReport;
  readonly meter: Meter;
  /** Throws when the copy is to end; asked before every write. */
  readonly beforeWrite: () => Promise<void>;
  readonly goOn: () => void;
  /** The same, and lets others have their turn. */
  readonly nextStep: () => Promise<void>;
  /** What failed: everything else under way ends as well. */
  readonly fail: (cause: unknown) => void;
}
