import type { Problems } from '../problems.js';

/** What a backup did. A problem is a file whose bytes are damaged or missing. */
export interface BackupReport extends Problems {
  /** The moment of the backup, as in ISO 8601. */
  moment: string;
  rows: number;
  blobs: number;
  /** Of all blobs of the backup. */
  blobBytes: number;
  /** Those that no earlier backup had. */
  blobsCopied: number;
  bytesCopied: number;
  /** Blobs of the backup that `--verify` has read again. */
  blobsVerified: number;
  /** Those of them that were wrong and were copied again. */
  blobsMended: number;
  /** Backups that were older than `--keep`. */
  backupsDropped: number;
  seconds: number;
}

/** A moment for people and for `--at`. */
export function shownMoment(momentMs: number): string {
  return new Date(momentMs).toISOString();
}
