import type { ExportReport, ImportReport, KeyLimits } from '#client/node';
import { counted, quoted } from '../../lib/text/words.js';
import { shownBytes } from './amounts.js';

/** What `export` did, for people. */
export function exportReportText(report: ExportReport, to: string): string {
  const items = `${counted(report.items, 'item')} of ${counted(report.bases, 'base')}`;
  const files = `${counted(report.files, 'file')} of ${counted(report.drives, 'drive')}`;
  const size = `${shownBytes(report.bytes)} in ${report.seconds.toFixed(1)} s`;
  const lines = [`Exported ${items} and ${files} of project ${report.project} to ${to}: ${size}`];
  if (report.reused > 0) lines.push(`${counted(report.reused, 'file')} were there from an earlier run`);
  for (const out of report.leftOut) {
    const file = 'name' in out && out.name !== undefined ? `${quoted(out.name)} of drive ` : '';
    lines.push(`${file}${quoted('base' in out ? out.base : out.drive)}: ${out.problem}`);
  }
  const unlisted = report.leftOutCount - report.leftOut.length;
  if (unlisted > 0) lines.push(`… and ${unlisted} more`);
  if (report.limitedTo !== undefined) {
    lines.push(`The key reads only ${limitsText(report.limitedTo)}: nothing else is in the export`);
  }
  return lines.join('\n');
}

function limitsText({ bases, drives, prefix }: KeyLimits): string {
  const names = (kind: string, patterns: readonly string[] = []) =>
    patterns.length === 0 ? [] : [`${kind} ${patterns.map(quoted).join(', ')}`];
  const where = [...names('bases', bases), ...names('drives', drives)].join(' and ');
  const beginning = prefix === undefined ? '' : `what begins with ${quoted(prefix)}`;
  return [where, beginning].filter((text) => text !== '').join(', and there ');
}

/** What `import` did, for people. */
export function importReportText(report: ImportReport, from: string): string {
  const stored = `${counted(report.items, 'item')} and ${counted(report.files, 'file')}`;
  const size = `read ${shownBytes(report.bytes)} in ${report.seconds.toFixed(1)} s`;
  const lines = [`Stored ${stored} of ${from} in project ${report.project}: ${size}`];
  if (report.itemsKept + report.filesKept > 0) {
    lines.push(
      `Left ${counted(report.itemsKept, 'item')} and ${counted(report.filesKept, 'file')} as they were`,
    );
  }
  if (report.filesExpired > 0) lines.push(`Left out ${counted(report.filesExpired, 'expired file')}`);
  if (report.ignored > 0) {
    lines.push(`Ignored ${counted(report.ignored, 'file')} outside bases/NAME.json and drives/NAME/`);
  }
  if (report.fromPaths) {
    lines.push(
      'Took names and content types from the paths: there is no basedrive.json, which has also metadata, expiry and indexes',
    );
  }
  if (report.setAsideCount > 0) lines.push(`Not imported: ${report.setAsideCount}`);
  for (const { path, line, problem } of report.setAside) {
    lines.push(`${quoted(path)}${line === undefined ? '' : ` line ${line}`}: ${problem}`);
  }
  const unlisted = report.setAsideCount - report.setAside.length;
  return [...lines, ...(unlisted > 0 ? [`… and ${unlisted} more`] : [])].join('\n');
}
