import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { countOf } from '../ui/format.js';
import { Problem } from '../ui/problem.js';
import { useTask } from '../ui/task.js';
import { visible } from '../ui/visible.js';
import type { ChoiceWords } from './conflict-list.js';
import type { Choices, Conflict } from './conflicts.js';
import { ConflictsDialog } from './conflicts-dialog.js';
import type { Entry } from './entry.js';
import { findConflicts } from './move-files.js';
import { PathField } from './path-field.js';

export const moveWords: ChoiceWords = {
  rename: 'Move it under another name',
  replace: 'Replace the file there',
  skip: 'Leave it where it is',
};

interface MoveProps {
  readonly drive: string;
  /** The folder in which the entries are. */
  readonly folder: string;
  readonly entries: readonly Entry[];
  /** The folder on which they were dropped; undefined to ask for it. */
  readonly to: string | undefined;
  move(folder: string, choices: Choices): Promise<void>;
  onClose(): void;
}

/**
 * Asks where entries are to be moved. If files there have the names, it asks what becomes of each before anything moves,
 * and the way back to the typed folder stays open.
 */
export function MoveDialog({ drive, folder, entries, to, move, onClose }: MoveProps) {
  const [typed, setTyped] = useState(folder);
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const ended = useMemo(() => new AbortController(), []);
  const task = useTask();
  useEffect(() => () => ended.abort(), []);

  const target = to ?? (typed === '' || typed.endsWith('/') ? typed : `${typed}/`);
  const place = visible(target === '' ? drive : target);
  const isSame = target === folder;
  const what =
    entries.length === 1 ? visible(entries[0]?.label ?? '') : countOf(entries.length, 'entry', 'entries');
  const look = () =>
    task.run(async () => {
      const found = await findConflicts(drive, entries, ({ label }) => target + label, ended.signal);
      if (found.length === 0) await go(new Map());
      setConflicts(found);
    });
  const go = async (choices: Choices) => {
    await move(target, choices);
    onClose();
  };

  if (conflicts.length > 0) {
    return (
      <ConflictsDialog
        conflicts={conflicts}
        words={moveWords}
        verb="Move"
        back="Back"
        act={go}
        onBack={() => setConflicts([])}
        onClose={onClose}
      >
        You move {what} to {place}. Nothing has moved yet: choose what becomes of{' '}
        {conflicts.length === 1 ? 'the file whose name is' : 'the files whose names are'} taken there.
      </ConflictsDialog>
    );
  }
  return (
    <Dialog
      title={`Move ${what}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={task.busy} disabled={isSame} onClick={() => void look()}>
            Move
          </Button>
        </>
      }
    >
      {to === undefined ? (
        <PathField
          label="To the folder"
          hint="Empty for the drive itself. A folder that does not exist yet is created."
          value={typed}
          problem={task.problem}
          onText={(text) => {
            setTyped(text);
            task.clear();
          }}
          onSubmit={() => {
            if (!isSame && !task.busy) void look();
          }}
        />
      ) : (
        <div class="stack">
          <p>To {place}. No byte is copied, and nothing there is overwritten unless you say so.</p>
          <Problem text={task.problem} />
        </div>
      )}
    </Dialog>
  );
}
