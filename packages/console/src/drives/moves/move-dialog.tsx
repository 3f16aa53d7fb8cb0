import { useState } from 'preact/hooks';
import { ActDialog } from '../../ui/act-dialog.js';
import { countOf } from '../../ui/format.js';
import { visible } from '../../ui/visible.js';
import type { Entry } from '../entry.js';
import type { Choices } from '../names/conflicts.js';
import { ConflictsDialog } from '../names/conflicts-dialog.js';
import { PathDialog } from '../names/path-dialog.js';
import { FolderPicker } from './folder-picker.js';
import { useMove } from './use-move.js';

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
  const target = to ?? (typed === '' || typed.endsWith('/') ? typed : `${typed}/`);
  const { task, question, start } = useMove({
    drive,
    entries,
    nameOf: ({ label }) => target + label,
    act: (choices) => move(target, choices),
    onClose,
  });

  const place = visible(target === '' ? drive : target);
  const what =
    entries.length === 1 ? visible(entries[0]?.label ?? '') : countOf(entries.length, 'entry', 'entries');
  const common = { title: `Move ${what}`, onClose };
  const isReady = target !== folder;
  if (question !== undefined) {
    return (
      <ConflictsDialog {...question} verb="Move">
        You move {what} to {place}. Nothing has moved yet: choose what becomes of{' '}
        {question.conflicts.length === 1 ? 'the file whose name is' : 'the files whose names are'} taken
        there.
      </ConflictsDialog>
    );
  }
  if (to === undefined) {
    return (
      <PathDialog
        {...common}
        label="To the folder"
        hint="Empty for the drive itself. A folder that does not exist yet is created."
        value={typed}
        task={task}
        verb="Move"
        isReady={isReady}
        onText={setTyped}
        onAct={start}
      >
        <FolderPicker
          drive={drive}
          folder={target}
          onChoose={(chosen) => {
            setTyped(chosen);
            task.clear();
          }}
        />
      </PathDialog>
    );
  }
  return (
    <ActDialog {...common} verb="Move" task={task} isReady={isReady} onAct={start}>
      <p>To {place}. Files there stay as they are, unless you choose to replace them.</p>
    </ActDialog>
  );
}
