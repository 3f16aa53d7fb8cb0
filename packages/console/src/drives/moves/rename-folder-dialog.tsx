import { useState } from 'preact/hooks';
import { visible } from '../../ui/visible.js';
import type { Entry } from '../entry.js';
import type { Choices } from '../names/conflicts.js';
import { ConflictsDialog } from '../names/conflicts-dialog.js';
import { PathDialog } from '../names/path-dialog.js';
import { useMove } from './use-move.js';

interface RenameFolderProps {
  readonly drive: string;
  readonly entry: Entry;
  /** Gives the folder the name `to`, which ends with `/`. */
  rename(to: string, choices: Choices): Promise<void>;
  onClose(): void;
}

/** Asks for the new name of a folder. If there is such a folder and it has files of the same names, it asks about each. */
export function RenameFolderDialog({ drive, entry, rename, onClose }: RenameFolderProps) {
  const [text, setText] = useState(entry.name.slice(0, -1));
  const to = text.endsWith('/') ? text : `${text}/`;
  const { task, question, start } = useMove({
    drive,
    entries: [entry],
    nameOf: () => to,
    act: (choices) => rename(to, choices),
    onClose,
  });

  if (question !== undefined) {
    return (
      <ConflictsDialog {...question} verb="Rename">
        There is a folder {visible(to)} already. Nothing has changed yet: choose what becomes of the files
        whose names are taken there.
      </ConflictsDialog>
    );
  }
  return (
    <PathDialog
      title={`Rename ${visible(entry.label)}`}
      label="Name"
      hint="The whole path in the drive. All files in the folder move with it."
      value={text}
      task={task}
      verb="Rename"
      isReady={text !== '' && to !== entry.name}
      onText={setText}
      onAct={start}
      onClose={onClose}
    />
  );
}
