import { counted } from '../../lib/text/words.js';
import { type FollowProgress, isFollowProgress, type StandbyProgress } from '../../store/standby/progress.js';
import { shownBytes, shownTime } from './amounts.js';
import { progressText } from './copy-progress.js';
import { createProgressLines, type StatusLine } from './status-line.js';

/** Shows how a standby follows. What went wrong is printed once. */
export function createStandbyLines(status: StatusLine): (progress: StandbyProgress) => void {
  const show = createProgressLines(status, standbyText, ({ phase }: StandbyProgress) => phase);
  const printed = new Set<string>();
  let behindMs: number | undefined;
  return (progress) => {
    if (isFollowProgress(progress)) {
      for (const problem of progress.problems) {
        if (printed.has(problem)) continue;
        printed.add(problem);
        status.print(`Not copied: ${problem}`);
      }
      if (progress.phase === 'behind') {
        // It is told again whenever the comparison begins anew, as while a place cannot be reached.
        if (progress.asOfMs !== behindMs) status.print(behindText(progress));
        behindMs = progress.asOfMs;
        return;
      }
    }
    show(progress);
  };
}

/** `Following: 2 s behind · 1,200 rows · 3 blobs · 1.2 MB` */
function standbyText(progress: StandbyProgress): string {
  if (!isFollowProgress(progress)) return progressText(progress);
  const { phase, problem, lagSeconds, rows, blobs, bytes } = progress;
  if (phase === 'waiting') return `Waiting: ${problem}`;
  const words = [lagSeconds === 0 ? 'even' : `${shownTime(lagSeconds)} behind`, counted(rows, 'row')];
  if (blobs > 0) words.push(counted(blobs, 'blob'), shownBytes(bytes));
  return `Following: ${words.join(' · ')}`;
}

function behindText({ asOfMs }: FollowProgress): string {
  const asOf = new Date(asOfMs).toISOString();
  return `The source no longer has the changes since ${asOf}, or noted none for a while, or something else has changed the standby: everything is compared again`;
}
