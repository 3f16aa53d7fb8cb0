import { counted } from '../../lib/text/words.js';
import type { CopyReport } from '../../store/copy/report.js';
import { shownBytes } from './amounts.js';
import { problemLines } from './problem-lines.js';

/** What `copy` did, for people. */
export function copyReportText(report: CopyReport): string {
  const { problems, problemCount } = report;
  const copied = `${counted(report.blobsCopied, 'blob')} (${shownBytes(report.bytesCopied)})`;
  const deleted = `${counted(report.rowsDeleted, 'row')} and ${counted(report.blobsDeleted, 'blob')}`;
  const lines = [
    `Copied ${copied} and put ${counted(report.rowsPut, 'row')}, deleted ${deleted}, in ${report.seconds.toFixed(1)} s`,
  ];
  if (report.rowsChangedMeanwhile > 0) {
    lines.push(`${counted(report.rowsChangedMeanwhile, 'row')} changed during the copy: run it again`);
  }
  if (report.blobsVerified > 0) {
    const verified = counted(report.blobsVerified, 'blob');
    lines.push(`Read ${verified} of the destination, copied ${report.blobsMended} of them again`);
  }
  if (problemCount === 0) {
    const rows = `${counted(report.rows, 'row')} of ${counted(report.rowBytes, 'byte')}`;
    lines.push(
      `Equal: ${rows} in ${counted(report.spaceCount, 'space')} (bases, drives and others), by count and checksum`,
    );
  } else {
    lines.push(`Problems: ${problemCount}`);
  }
  return [...lines, ...problemLines(problems, problemCount)].join('\n');
}
