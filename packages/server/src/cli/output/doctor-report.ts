import type { Finding } from '../../lib/finding.js';
import { counted } from '../../lib/text/words.js';

/** The findings for people: a line each, what to do below it, and a summary at the end. */
export function doctorReportText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const lines = findings.flatMap(({ subject, verdict, found, advice }) => {
    const line = `${verdict.padEnd(8)} ${subject.padEnd(width)}  ${found}`;
    return advice === undefined ? [line] : [line, `${' '.repeat(9 + width)}  → ${advice}`];
  });
  return [...lines, '', summary(findings)].join('\n');
}

function summary(findings: readonly Finding[]): string {
  const count = (wanted: Finding['verdict']) => findings.filter(({ verdict }) => verdict === wanted).length;
  if (count('failed') > 0) return `A server would not run well here: ${counted(count('failed'), 'problem')}.`;
  if (count('warning') > 0) return `A server would run here. See ${counted(count('warning'), 'warning')}.`;
  return 'A server would run well here.';
}
