import { counted } from '../../lib/text/words.js';
import type { CopyPhase, CopyProgress } from '../../store/copy/progress.js';
import { shownBytes, shownRest } from './amounts.js';
import { createProgressLines, type StatusLine } from './status-line.js';

type Phases = Readonly<Record<CopyPhase, string>>;

const phases: Phases = {
  counting: 'Counting',
  copying: 'Copying',
  cleaning: 'Deleting what the source no longer has',
  verifying: 'Verifying the copy',
};

const backupPhases: Phases = {
  ...phases,
  cleaning: 'Deleting what no backup needs',
  verifying: 'Verifying the backup',
};

/** Shows the progress of a copy. */
export function createCopyLines(status: StatusLine): (progress: CopyProgress) => void {
  return createProgressLines(status, progressText, ({ phase }: CopyProgress) => phase);
}

/** Shows the progress of a backup. */
export function createBackupLines(status: StatusLine): (progress: CopyProgress) => void {
  const textOf = (progress: CopyProgress) => progressText(progress, backupPhases);
  return createProgressLines(status, textOf, ({ phase }: CopyProgress) => phase);
}

/** `Copying: 12% · 3 min left · 12,000 rows · 300 blobs · 1.2 GB · 35.0 MB/s` */
export function progressText(
  { phase, rows, blobs, bytes, share, seconds }: CopyProgress,
  names: Phases = phases,
): string {
  const words: string[] = [];
  if (share !== undefined) words.push(`${Math.floor(share * 100)}%`, ...shownRest(share, seconds));
  if (rows > 0) words.push(counted(rows, 'row'));
  if (blobs > 0) words.push(counted(blobs, 'blob'), shownBytes(bytes));
  if (bytes > 0 && seconds > 1) words.push(`${shownBytes(bytes / seconds)}/s`);
  return words.length === 0 ? names[phase] : `${names[phase]}: ${words.join(' · ')}`;
}
