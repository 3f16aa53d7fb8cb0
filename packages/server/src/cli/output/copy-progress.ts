import { counted } from '../../lib/text.js';
import type { CopyPhase, CopyProgress } from '../../store/copy/progress.js';

/** How a copy shows its progress on standard error. */
export interface StatusLine {
  /** Prints a line. */
  readonly print: (line: string) => void;
  /** On a terminal: shows a line in place of the previous one. */
  readonly show?: ((line: string) => void) | undefined;
}

const printEveryMs = 5000;

const phases: Readonly<Record<CopyPhase, string>> = {
  counting: 'Counting',
  copying: 'Copying',
  cleaning: 'Deleting what the source no longer has',
  verifying: 'Verifying the copy',
};

/** Shows progress: on a terminal one line that changes, elsewhere a line every five seconds and one for each phase. */
export function createProgressLines({ print, show }: StatusLine): (progress: CopyProgress) => void {
  let printedMs = Number.NEGATIVE_INFINITY;
  let phase: CopyPhase | undefined;
  return (progress) => {
    const line = progressText(progress);
    if (show !== undefined) {
      show(line);
      return;
    }
    const nowMs = performance.now();
    if (progress.phase === phase && nowMs - printedMs < printEveryMs) return;
    phase = progress.phase;
    printedMs = nowMs;
    print(line);
  };
}

/** `Copying: 12% · 3 min left · 12,000 rows · 300 blobs · 1.2 GB · 35.0 MB/s` */
export function progressText({ phase, rows, blobs, bytes, share, seconds }: CopyProgress): string {
  const words: string[] = [];
  if (share !== undefined) words.push(`${Math.floor(share * 100)}%`);
  // An estimate from the first seconds would be wrong.
  if (share !== undefined && share > 0.01 && seconds > 3)
    words.push(`${shownTime((seconds * (1 - share)) / share)} left`);
  if (rows > 0) words.push(counted(rows, 'row'));
  if (blobs > 0) words.push(counted(blobs, 'blob'), shownBytes(bytes));
  if (bytes > 0 && seconds > 1) words.push(`${shownBytes(bytes / seconds)}/s`);
  return words.length === 0 ? phases[phase] : `${phases[phase]}: ${words.join(' · ')}`;
}

export function shownBytes(bytes: number): string {
  let value = bytes;
  for (const unit of ['B', 'kB', 'MB', 'GB']) {
    if (value < 1000) return `${unit === 'B' ? Math.round(value) : value.toFixed(1)} ${unit}`;
    value /= 1000;
  }
  return `${value.toFixed(1)} TB`;
}

function shownTime(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
