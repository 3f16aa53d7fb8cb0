import { noProblems } from '../problems.js';

export type BackupReport = ReturnType<typeof emptyBackupReport>;

/** What a backup has done, before it begins. A problem is a file whose bytes are damaged or missing. */
export function emptyBackupReport() {
  return {
    /** The moment of the backup, as in ISO 8601. */
    moment: '',
    rows: 0,
    /** All blobs of the backup, and their size. */
    blobs: 0,
    blobBytes: 0,
    /** As in the report of a copy. */
    blobsCopied: 0,
    bytesCopied: 0,
    blobsVerified: 0,
    blobsMended: 0,
    /** Backups that were older than `--keep`. */
    backupsDropped: 0,
    ...noProblems(),
    seconds: 0,
  };
}

/** A moment for people and for `--at`. */
export function shownMoment(momentMs: number): string {
  return new Date(momentMs).toISOString();
}
