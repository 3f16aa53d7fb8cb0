import type { ProjectProgress } from '#client/node';
import { counted } from '../../lib/text/words.js';
import { shownBytes, shownRest } from './amounts.js';
import { createProgressLines, type StatusLine } from './status-line.js';

const barCharacters = 24;

/** Shows how far an export or import is; `verb` is `Exporting` or `Importing`. */
export function createTransferLines(status: StatusLine, verb: string): (progress: ProjectProgress) => void {
  const isTerminal = status.show !== undefined;
  return createProgressLines(
    status,
    (progress: ProjectProgress) => `${verb}: ${transferText(progress, isTerminal)}`,
    () => verb,
  );
}

/** `[######------------------]  25% · 3 min left · 12,000 items · 30 files · 1.2 GB · 35.0 MB/s` */
export function transferText(
  { items, files, bytes, share, seconds }: ProjectProgress,
  withBar: boolean,
): string {
  const words: string[] = [];
  if (share !== undefined) {
    const filled = Math.round(share * barCharacters);
    const bar = `[${'#'.repeat(filled)}${'-'.repeat(barCharacters - filled)}] `;
    words.push(`${withBar ? bar : ''}${Math.floor(share * 100)}%`, ...shownRest(share, seconds));
  }
  if (items > 0) words.push(counted(items, 'item'));
  if (files > 0) words.push(counted(files, 'file'));
  words.push(shownBytes(bytes));
  if (seconds > 1) words.push(`${shownBytes(bytes / seconds)}/s`);
  return words.join(' · ');
}
