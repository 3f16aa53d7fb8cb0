import { addProblem, maxListed, noProblems } from '../problems.js';
import type { RowSum } from './row-digest.js';

/** One space, as this run read it at the source and left it at the destination. */
export interface SpaceReport {
  readonly space: string;
  readonly source: RowSum;
  readonly destination: RowSum;
  readonly rowsPut: number;
  readonly rowsDeleted: number;
}

export type CopyReport = ReturnType<typeof emptyCopyReport>;

/** What a copy has done, before it begins. */
export function emptyCopyReport() {
  return {
    /** All rows of the source. */
    rows: 0,
    /** Of all rows: keys and values. */
    rowBytes: 0,
    rowsPut: 0,
    rowsDeleted: 0,
    /** Blobs that were not there yet, and their size. */
    blobsCopied: 0,
    bytesCopied: 0,
    blobsDeleted: 0,
    /** Blobs that `--verify` has read again, and those of them that it had to copy again. */
    blobsVerified: 0,
    blobsMended: 0,
    /** Rows that the source changed while they were copied. */
    rowsChangedMeanwhile: 0,
    /** The first thousand. */
    spaces: [] as SpaceReport[],
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
