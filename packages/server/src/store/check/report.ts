import type { Problems } from '../problems.js';

export interface CheckReport extends Problems {
  items: number;
  files: number;
  /** Open uploads, and parts of them. */
  uploads: number;
  parts: number;
  /** Bytes of files and parts that were read and compared with their checksums. */
  bytes: number;
  /** Uploads that had no request for too long: the server drops them by itself. */
  uploadsOutOfDate: number;
  /** Files and parts that shared bytes with others, and that `--repair` has given bytes of their own. */
  separated: number;
  /** Counters that were wrong, and that `--repair` has deleted: the server counts anew. */
  recounted: number;
  /** Blobs without a row that `--repair` has moved, and where they are now. */
  quarantine: number;
  quarantineFolder: string | undefined;
}

export function emptyReport(): CheckReport {
  return {
    items: 0,
    files: 0,
    uploads: 0,
    parts: 0,
    bytes: 0,
    uploadsOutOfDate: 0,
    problems: [],
    problemCount: 0,
    separated: 0,
    recounted: 0,
    quarantine: 0,
    quarantineFolder: undefined,
  };
}
