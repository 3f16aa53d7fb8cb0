import { useSignal } from '@preact/signals';
import { PageError } from '../api/errors.js';
import { mayWrite, ownReach, seesPublic } from '../api/own-key.js';
import { route } from '../router.js';
import { addPart } from '../ui/parts.js';
import { useShortcuts } from '../ui/shortcuts.js';
import { tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { Dialogs } from './dialogs.js';
import type { DriveDialog, DriveView } from './drive-view.js';
import { fileActions } from './file-actions.js';
import { usePublic } from './sharing/public-prefixes.js';
import { TransferPanel } from './transfer-panel.js';
import { useTrash } from './trash/trash-setting.js';
import type { ChosenFile } from './uploads/chosen-files.js';
import { DropZone } from './uploads/drop-zone.js';
import { UploadDialog } from './uploads/upload-dialog.js';
import { uploadFiles } from './uploads/upload-files.js';
import { DriveFoot } from './view/drive-foot.js';
import { DriveHead } from './view/drive-head.js';
import { FilePane } from './view/file-pane.js';
import { FolderContent } from './view/folder-content.js';
import { useFile } from './view/use-file.js';
import { useFolder } from './view/use-folder.js';
import { useSteps } from './view/use-steps.js';

// Its questions are asked wherever the user is by then.
addPart(UploadDialog);

/** The folders and files of a drive. */
export function DriveScreen({ drive }: { readonly drive: string }) {
  const { file = '' } = route.value.parameters;
  const view = useDriveView(drive);
  const { folder, open, steps, upload } = view;
  usePublic(drive);
  useTrash(drive);
  useShortcuts({
    '/': () => document.querySelector<HTMLElement>('.folder-filter')?.focus(),
    Escape: steps.closeFile,
  });
  const shown = useFile(drive, folder, file, open.listing);

  return (
    <DropZone label={visible(drive)} onFiles={upload}>
      <DriveHead view={view} />
      <div class="beside">
        <FolderContent view={view} openName={shown?.name} />
        {shown !== undefined && <FilePane view={view} entry={shown} />}
      </div>
      <TransferPanel drive={drive} />
      <DriveFoot view={view} />
      <Dialogs view={view} />
    </DropZone>
  );
}

/** What the address says is to be seen of a drive, and what is done there. */
function useDriveView(drive: string): DriveView {
  const { folder = '', find = '', order = '' } = route.value.parameters;
  const open = useFolder(drive, folder, { find, order });
  const { selection, reread } = open;
  const dialog = useSignal<DriveDialog | undefined>(undefined);
  const ask = (what: DriveDialog) => {
    dialog.value = what;
  };
  return {
    drive,
    folder,
    find,
    order,
    open,
    steps: useSteps(drive, folder, open.entries),
    actions: fileActions({ drive, shown: open.shown, selection, reread }),
    dialog,
    ask,
    rename: (entry) => ask({ kind: 'rename', entry }),
    move: (entries, to) => ask({ kind: 'move', folder, entries, to }),
    showPublic: seesPublic.value ? (name) => ask({ kind: 'public', folder: name }) : undefined,
    upload: (files) => uploadTo(drive, folder, files),
  };
}

function uploadTo(drive: string, folder: string, files: readonly ChosenFile[]): void {
  const { prefix } = ownReach.peek();
  const isReached = files.every(({ path }) => (folder + path).startsWith(prefix));
  if (!mayWrite.peek()) tellFailure(new PageError('Your key may only read.'));
  else if (isReached) uploadFiles(drive, folder, files);
  else tellFailure(new PageError(`Your key reaches only names that begin with ${visible(prefix)}.`));
}
