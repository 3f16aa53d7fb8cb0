import { addProblem, maxListed, noProblems, type Problems } from '../problems.js';
import type { RowSum } from './row-digest.js';

/** One space, as this run read it at the source and left it at the destination. */
export interface SpaceReport {
  readonly space: string;
  readonly source: RowSum;
  readonly destination: RowSum;
  readonly rowsPut: number;
  readonly rowsDeleted: number;
}

/** What a copy or a backup did. */
export interface CopiedBlobs {
  /** All rows of the source. */
  rows: number;
  /** Those that were not there yet, and their size. */
  blobsCopied: number;
  bytesCopied: number;
  /** Blobs that `--verify` has read again, and those of them that it had to copy again. */
  blobsVerified: number;
  blobsMended: number;
  seconds: number;
}

export interface CopyReport extends CopiedBlobs, Problems {
  /** Of all rows: keys and values. */
  rowBytes: number;
  rowsPut: number;
  rowsDeleted: number;
  blobsDeleted: number;
  /** Rows that the source changed while they were copied. */
  rowsChangedMeanwhile: number;
  /** The first thousand. */
  readonly spaces: SpaceReport[];
  spaceCount: number;
}

export function emptyCopyReport(): CopyReport {
  return {
    rows: 0,
    rowBytes: 0,
    rowsPut: 0,
    rowsDeleted: 0,
    blobsCopied: 0,
    bytesCopied: 0,
    blobsDeleted: 0,
    blobsVerified: 0,
    blobsMended: 0,
    rowsChangedMeanwhile: 0,
    spaces: [],
    spaceCount: 0,
    ...noProblems(),
    seconds: 0,
  };
}

/** Adds a space to the sums. If its rows are not equal, that is a problem. */
export function addSpace(report: CopyReport, space: SpaceReport): void {
  const { source, destination } = space;
  report.rows += source.rows;
  report.rowBytes += source.bytes;
  report.spaceCount++;
  if (report.spaces.length < maxListed) report.spaces.push(space);
  if (source.checksum === destination.checksum) return;
  const counts = `${source.rows} rows of ${source.bytes} bytes were read, ${destination.rows} of ${destination.bytes} are there`;
  addProblem(report, space.space, '', `the destination is not equal: ${counts}`);
}
