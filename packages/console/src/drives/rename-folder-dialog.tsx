import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { useTask } from '../ui/task.js';
import { visible } from '../ui/visible.js';
import type { Choices, Conflict } from './conflicts.js';
import { ConflictsDialog } from './conflicts-dialog.js';
import type { Entry } from './entry.js';
import { moveWords } from './move-dialog.js';
import { findConflicts } from './move-files.js';
import { PathField } from './path-field.js';

interface RenameFolderProps {
  readonly drive: string;
  readonly entry: Entry;
  /** Gives the folder the name `to`, which ends with `/`. */
  rename(to: string, choices: Choices): Promise<void>;
  onClose(): void;
}

/** Asks for the new name of a folder. If there is such a folder and it has files of the same names, it asks about each. */
export function RenameFolderDialog({ drive, entry, rename, onClose }: RenameFolderProps) {
  const was = entry.name.slice(0, -1);
  const [text, setText] = useState(was);
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const ended = useMemo(() => new AbortController(), []);
  const task = useTask();
  useEffect(() => () => ended.abort(), []);

  const to = text.endsWith('/') ? text : `${text}/`;
  const isReady = text !== '' && to !== entry.name && !task.busy;
  const go = async (choices: Choices) => {
    await rename(to, choices);
    onClose();
  };
  const look = () =>
    task.run(async () => {
      const found = await findConflicts(drive, [entry], () => to, ended.signal);
      if (found.length === 0) await go(new Map());
      setConflicts(found);
    });

  if (conflicts.length > 0) {
    return (
      <ConflictsDialog
        conflicts={conflicts}
        words={moveWords}
        verb="Rename"
        back="Back"
        act={go}
        onBack={() => setConflicts([])}
        onClose={onClose}
      >
        There is a folder {visible(to)} already. Nothing has changed yet: choose what becomes of the files
        whose names are taken there.
      </ConflictsDialog>
    );
  }
  return (
    <Dialog
      title={`Rename ${visible(entry.label)}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={task.busy}
            disabled={text === '' || to === entry.name}
            onClick={() => void look()}
          >
            Rename
          </Button>
        </>
      }
    >
      <PathField
        label="Name"
        hint="The whole path in the drive. All files in the folder follow, and none is copied."
        value={text}
        problem={task.problem}
        onText={(typed) => {
          setText(typed);
          task.clear();
        }}
        onSubmit={() => {
          if (isReady) void look();
        }}
      />
    </Dialog>
  );
}
