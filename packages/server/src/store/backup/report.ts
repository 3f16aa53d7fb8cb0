import type { CopiedBlobs } from '../copy/report.js';
import type { Problems } from '../problems.js';

/** What a backup did. A problem is a file whose bytes are damaged or missing. */
export interface BackupReport extends CopiedBlobs, Problems {
  /** The moment of the backup, as in ISO 8601. */
  moment: string;
  blobs: number;
  /** Of all blobs of the backup. */
  blobBytes: number;
  /** Backups that were older than `--keep`. */
  backupsDropped: number;
}

/** A moment for people and for `--at`. */
export function shownMoment(momentMs: number): string {
  return new Date(momentMs).toISOString();
}
