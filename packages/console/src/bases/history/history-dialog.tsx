import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf, formatSecond } from '../../ui/format.js';
import { Problem } from '../../ui/problem.js';
import { useTask } from '../../ui/task.js';
import { visible } from '../../ui/visible.js';
import { ItemChanges } from './item-changes.js';
import { type HistoryEntry, historyOf, type ItemChange } from './session-history.js';
import { takeBackChanges } from './take-back.js';

interface HistoryDialogProps {
  readonly base: string;
  /** Items have changed. */
  onTakenBack(): void;
  onClose(): void;
}

/** What was saved in a base in this session, with a way back from each save. */
export function HistoryDialog({ base, onTakenBack, onClose }: HistoryDialogProps) {
  const entries = historyOf(base);
  const task = useTask();
  const takeBack = (entry: HistoryEntry) =>
    task.run(async () => {
      await takeBackChanges(base, entry.changes);
      onTakenBack();
    });
  return (
    <Dialog title={`Saved in ${visible(base)}`} form="wide" isText onClose={onClose}>
      <div class="stack">
        <p class="hint">
          What was saved here since you signed in, in this tab. What is taken back is made what it was, unless
          it was changed again. Changes by query and imports are not among it.
        </p>
        <Problem text={task.problem} />
        {entries.length === 0 ? (
          <p>Nothing yet.</p>
        ) : (
          <ul class="history" aria-label="Saved changes, newest first">
            {entries.map((entry) => (
              <li key={entry.id} class="history-entry">
                <div class="history-head">
                  <span>
                    <span class="meta">{formatSecond(entry.atMs / 1000)}</span> {summaryOf(entry.changes)}
                  </span>
                  <Button
                    text="Take back"
                    icon="undo"
                    disabled={task.busy}
                    onClick={() => void takeBack(entry)}
                  />
                </div>
                <ItemChanges changes={entry.changes} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}

/** `2 items changed, 1 item deleted` */
function summaryOf(changes: readonly ItemChange[]): string {
  const added = changes.filter(({ before }) => before === undefined).length;
  const deleted = changes.filter(({ after }) => after === undefined).length;
  const parts: readonly (readonly [number, string])[] = [
    [changes.length - added - deleted, 'changed'],
    [added, 'added'],
    [deleted, 'deleted'],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, verb]) => `${countOf(count, 'item')} ${verb}`)
    .join(', ');
}
