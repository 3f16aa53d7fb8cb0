import { visible } from '../../ui/visible.js';
import { hasFiles } from '../moves/drag.js';
import type { ChoiceWords } from '../names/conflict-list.js';
import { ConflictsDialog } from '../names/conflicts-dialog.js';
import { resolved } from './files-to-send.js';
import { uploadQuestion } from './upload-files.js';

const words: ChoiceWords = {
  rename: 'Keep both: upload it under another name',
  replace: 'Replace the file there',
  skip: 'Do not upload it',
};

/** Asks what becomes of files whose names are taken, before any is sent. It is drawn once, on the page. */
export function UploadDialog() {
  const question = uploadQuestion.value;
  if (question === undefined) return null;
  const { id, drive, files, conflicts, answer } = question;
  const cancel = () => answer([]);
  return (
    <div role="none" onDragOver={refuseFiles} onDrop={refuseFiles}>
      <ConflictsDialog
        key={id}
        drive={drive}
        conflicts={conflicts}
        words={words}
        verb="Upload"
        back="Cancel"
        act={async (choices) => answer(resolved(files, choices))}
        onBack={cancel}
        onClose={cancel}
      >
        {conflicts.length === 1 ? 'There is a file of this name' : 'There are files of these names'} in{' '}
        {visible(drive)} already. Nothing is sent yet.
      </ConflictsDialog>
    </div>
  );
}

/** A browser would open what is dropped here, in place of the page. */
function refuseFiles(event: DragEvent): void {
  if (!hasFiles(event) || event.dataTransfer === null) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}
