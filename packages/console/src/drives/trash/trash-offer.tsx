import { Button } from '../../ui/button.js';
import { Problem } from '../../ui/problem.js';
import { useTask } from '../../ui/task.js';
import { maySetTrash, offered, setTrash, timeText, trashOf } from './trash-setting.js';

interface TrashOfferProps {
  readonly drive: string;
  /** What is about to be lost: `deleted`, `replaced`. */
  readonly what: string;
}

/** Says whether files can come back, and offers to switch the trash of the drive on where they cannot. */
export function TrashOffer({ drive, what }: TrashOfferProps) {
  const { busy, problem, run } = useTask();
  const trash = trashOf(drive);
  if (trash === undefined) return what === 'deleted' ? <p class="hint">This cannot be undone.</p> : null;
  if (trash !== null) {
    return (
      <p class="hint" role="status">
        What is {what} comes to the trash of the drive, and can come back for {timeText(trash)}.
      </p>
    );
  }
  return (
    <div class="trash-offer">
      <p class="hint">This drive has no trash: what is {what} is gone for good.</p>
      {maySetTrash() && (
        <Button
          text={`Keep such files for ${timeText(offered)}`}
          busy={busy}
          icon="revert"
          onClick={() => void run(() => setTrash(drive, offered))}
        />
      )}
      <Problem text={problem} />
    </div>
  );
}
