import { noProblems } from '../problems.js';

export type CheckReport = ReturnType<typeof emptyReport>;

/** What a check has found, before it begins. */
export function emptyReport() {
  return {
    items: 0,
    files: 0,
    /** Open uploads, and parts of them. */
    uploads: 0,
    parts: 0,
    /** Bytes of files and parts that were read and compared with their checksums. */
    bytes: 0,
    /** Uploads that had no request for too long: the server drops them by itself. */
    uploadsOutOfDate: 0,
    ...noProblems(),
    /** Files and parts that shared bytes with others, and that `--repair` has given bytes of their own. */
    separated: 0,
    /** Counters that were wrong, and that `--repair` has deleted: the server counts anew. */
    recounted: 0,
    /** Blobs without a row that `--repair` has moved, and where they are now. */
    quarantine: 0,
    quarantineFolder: undefined as string | undefined,
  };
}
