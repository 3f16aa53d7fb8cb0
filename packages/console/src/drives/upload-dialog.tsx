import { visible } from '../ui/visible.js';
import type { ChoiceWords } from './conflict-list.js';
import type { Conflict } from './conflicts.js';
import { ConflictsDialog } from './conflicts-dialog.js';
import { type FileToSend, resolved } from './files-to-send.js';

const words: ChoiceWords = {
  rename: 'Keep both: upload it under another name',
  replace: 'Replace the file there',
  skip: 'Do not upload it',
};

/** Files that the user has chosen, some of which have names that are taken. */
export interface UploadQuestion {
  readonly drive: string;
  readonly files: readonly FileToSend[];
  readonly conflicts: readonly Conflict[];
}

interface UploadDialogProps extends UploadQuestion {
  send(files: readonly FileToSend[]): void;
  onClose(): void;
}

/** Asks what becomes of files whose names are taken, before any is sent. */
export function UploadDialog({ drive, files, conflicts, send, onClose }: UploadDialogProps) {
  return (
    <ConflictsDialog
      conflicts={conflicts}
      words={words}
      verb="Upload"
      back="Cancel"
      act={async (choices) => {
        send(resolved(files, choices));
        onClose();
      }}
      onBack={onClose}
      onClose={onClose}
    >
      {conflicts.length === 1 ? 'There is a file of this name' : 'There are files of these names'} in{' '}
      {visible(drive)} already. Nothing is sent yet.
    </ConflictsDialog>
  );
}
