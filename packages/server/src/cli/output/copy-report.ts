import type { CopyReport } from '../../store/copy/report.js';
import { shownBytes } from './copy-progress.js';

/** For a human. Control characters of keys are escaped: a terminal is not to obey them. */
export function copyReportText(report: CopyReport): string {
  const { problems, problemCount } = report;
  const lines = [
    `Copied ${report.blobsCopied} blobs (${shownBytes(report.bytesCopied)}) and put ${report.rowsPut} rows, ` +
      `deleted ${report.rowsDeleted} rows and ${report.blobsDeleted} blobs, in ${report.seconds.toFixed(1)} s`,
  ];
  if (report.rowsChangedMeanwhile > 0) {
    lines.push(`${report.rowsChangedMeanwhile} rows changed while they were copied: run it again`);
  }
  if (report.blobsVerified > 0) {
    lines.push(`Read ${report.blobsVerified} blobs again, ${report.blobsMended} of them were copied again`);
  }
  lines.push(
    problemCount === 0
      ? `Equal: ${report.rows} rows of ${report.rowBytes} bytes in ${report.spaceCount} bases, drives and others, by count and checksum`
      : `Problems: ${problemCount}`,
  );
  for (const { where, key, problem } of problems) lines.push(`${quoted(where)} ${quoted(key)}: ${problem}`);
  if (problemCount > problems.length) lines.push(`… and ${problemCount - problems.length} more`);
  return lines.join('\n');
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
}
