import { counted } from '../../lib/text/words.js';
import { type DamagedBackup, damageText, type Manifests } from '../../store/backup/manifest.js';
import { type BackupReport, shownMoment } from '../../store/backup/report.js';
import type { RestoreReport } from '../../store/backup/restore.js';
import { shownBytes } from './amounts.js';
import { problemLines } from './problem-lines.js';
import { table } from './table.js';

/** What `backup` did, for people. */
export function backupReportText(report: BackupReport): string {
  const { moment, problems, problemCount } = report;
  const blobs = `${counted(report.blobs, 'blob')} (${shownBytes(report.blobBytes)})`;
  const copied = `${counted(report.blobsCopied, 'blob')} (${shownBytes(report.bytesCopied)})`;
  const lines = [
    `Backup of ${moment}: ${counted(report.rows, 'row')} and ${blobs}, in ${report.seconds.toFixed(1)} s; new: ${copied}`,
  ];
  if (report.blobsVerified > 0)
    lines.push(
      `Read ${counted(report.blobsVerified, 'blob')} of the backup again, copied ${report.blobsMended} of them again`,
    );
  if (report.backupsDropped > 0) lines.push(`Dropped ${counted(report.backupsDropped, 'older backup')}`);
  if (problemCount > 0) lines.push(`Problems: ${problemCount}`);
  return [...lines, ...problemLines(problems, problemCount)].join('\n');
}

/** What `restore` did, for people. */
export function restoreReportText(report: RestoreReport): string {
  const { moment, problems, problemCount } = report;
  const blobs = `${counted(report.blobs, 'blob')} (${shownBytes(report.bytes)})`;
  const lines = [
    `Restored the backup of ${moment}: ${counted(report.rows, 'row')} and ${blobs}, in ${report.seconds.toFixed(1)} s`,
  ];
  if (problemCount > 0) lines.push(`Problems: ${problemCount}`);
  return [...lines, ...problemLines(problems, problemCount)].join('\n');
}

/** The backups of a place, the oldest first, and those that are damaged. */
export function backupListText({ complete, damaged }: Manifests, json: boolean): string {
  const rows = complete.map(({ momentMs, rows: { count }, list, problemCount }) => ({
    moment: shownMoment(momentMs),
    rows: count,
    blobs: list.count,
    bytes: list.blobBytes,
    problems: problemCount,
  }));
  if (json) return JSON.stringify([...rows, ...damaged.map(damagedEntry)]);
  const cells = rows.map((row) => [
    row.moment,
    `${row.rows}`,
    `${row.blobs}`,
    shownBytes(row.bytes),
    `${row.problems}`,
  ]);
  const list = table(['MOMENT', 'ROWS', 'BLOBS', 'BYTES', 'PROBLEMS'], cells);
  return [list, ...damaged.map(damageText)].join('\n');
}

function damagedEntry({ momentMs, problem }: DamagedBackup) {
  return { moment: momentMs === undefined ? null : shownMoment(momentMs), damaged: problem };
}
