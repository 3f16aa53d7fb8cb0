import { counted } from '../../lib/text/words.js';
import type { CheckReport } from '../../store/check/report.js';
import { problemLines } from './problem-lines.js';

/** What `check` found, for people. */
export function checkReportText(report: CheckReport): string {
  const { problems, problemCount, quarantine, uploadsOutOfDate } = report;
  const parts = `${counted(report.parts, 'part')} of ${counted(report.uploads, 'open upload')}`;
  const lines = [
    `Read ${counted(report.items, 'item')}, ${counted(report.files, 'file')} and ${parts};` +
      ` ${counted(report.bytes, 'byte')} compared with their checksums`,
  ];
  if (uploadsOutOfDate > 0) {
    const verb = uploadsOutOfDate === 1 ? 'is' : 'are';
    lines.push(
      `${counted(uploadsOutOfDate, 'upload')} ${verb} out of date: the server drops such uploads by itself`,
    );
  }
  if (report.separated > 0) {
    lines.push(
      `${counted(report.separated, 'row')} shared bytes with another one: each file and part has its own now`,
    );
  }
  if (report.recounted > 0) {
    lines.push(`${counted(report.recounted, 'counter')} did not say what there is: the server counts anew`);
  }
  if (quarantine > 0) {
    const verb = quarantine === 1 ? 'was' : 'were';
    lines.push(
      `${counted(quarantine, 'blob')} without a row ${verb} moved into quarantine: ${report.quarantineFolder}`,
    );
  }
  lines.push(problemCount === 0 ? 'Nothing is wrong' : `Problems: ${problemCount}`);
  return [...lines, ...problemLines(problems, problemCount)].join('\n');
}
