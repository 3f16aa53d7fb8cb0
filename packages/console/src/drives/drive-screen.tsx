import { type Signal, useSignal } from '@preact/signals';
import { PageError } from '../api/errors.js';
import { mayWrite, ownReach, seesPublic } from '../api/own-key.js';
import { goToRow } from '../grid/grid.js';
import { route } from '../router.js';
import { addPart } from '../ui/parts.js';
import { useShortcuts } from '../ui/shortcuts.js';
import { tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { Dialogs, type DriveDialog } from './dialogs.js';
import { downloadFile, downloadZip } from './downloads/downloads.js';
import type { Entry } from './entry.js';
import { fileActions } from './file-actions.js';
import { usePublic } from './sharing/use-public.js';
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
import { readAll } from './view/folder-listing.js';
import { useFile } from './view/use-file.js';
import { useFolder } from './view/use-folder.js';
import { useSteps } from './view/use-steps.js';

// Its questions are asked wherever the user is by then.
addPart(UploadDialog);

/** The folders and files of a drive. */
export function DriveScreen({ drive }: { readonly drive: string }) {
  const { folder = '', find = '', order = '', file = '' } = route.value.parameters;
  const open = useFolder(drive, folder, { find, order });
  const { listing, entries, selection, selected, reread } = open;
  const steps = useSteps(drive, folder, entries);
  const dialog = useSignal<DriveDialog | undefined>(undefined);
  usePublic(drive);
  useTrash(drive);
  const actions = fileActions({ drive, shown: open.shown, selection, reread });
  const asks = askingIn(folder, dialog);
  useShortcuts({
    '/': () => document.querySelector<HTMLElement>('.folder-filter')?.focus(),
    Escape: steps.closeFile,
  });
  const upload = (files: readonly ChosenFile[]) => uploadTo(drive, folder, files);
  const whole: Entry = { name: folder, label: folder, below: '', file: undefined };
  const shown = useFile(drive, folder, file, listing);

  return (
    <DropZone label={visible(drive)} onFiles={upload}>
      <DriveHead
        drive={drive}
        folder={folder}
        find={find}
        onGo={steps.goTo}
        onFiles={upload}
        onMove={asks.move}
        onZip={entries.length === 0 ? undefined : () => downloadZip(drive, folder, [whole])}
        onNewFolder={() => asks.ask({ kind: 'new-folder', folder })}
        onRename={folder === '' ? undefined : () => asks.rename(whole)}
        onPublic={asks.public}
        onTrash={() => asks.ask({ kind: 'trash', prefix: '' })}
        onReread={reread}
      />
      <div class="beside">
        <FolderContent
          drive={drive}
          folder={folder}
          find={find}
          open={open}
          order={order}
          onOrder={steps.sortBy}
          openName={shown?.name}
          onOpen={steps.open}
          onDelete={mayWrite.value ? actions.askToDelete : undefined}
          onLeave={steps.leave}
          onMove={mayWrite.value ? asks.move : undefined}
        />
        {shown !== undefined && (
          <FilePane
            drive={drive}
            entry={shown}
            onPrevious={steps.stepFrom(shown, -1)}
            onNext={steps.stepFrom(shown, 1)}
            onClose={steps.closeFile}
            onDownload={() => downloadFile(drive, shown)}
            onAsk={(kind) => asks.about(kind, shown)}
            onDelete={() => actions.askToDelete([shown])}
          />
        )}
      </div>
      <TransferPanel drive={drive} />
      <DriveFoot
        selected={selected}
        count={entries.length}
        isComplete={listing.state.value === 'complete'}
        onEnd={() => void readAll(listing).then(() => goToRow('last'), tellFailure)}
        onDownload={() => download(drive, folder, selected)}
        onShare={() => asks.ask({ kind: 'share', names: selected.map(({ name }) => name) })}
        onPublic={asks.public}
        onMove={() => asks.move(selected)}
        onRename={() => selected.slice(0, 1).forEach(asks.rename)}
        onDelete={() => actions.askToDelete(selected)}
        onClear={selection.clear}
      />
      <Dialogs
        drive={drive}
        dialog={dialog}
        actions={actions}
        onGo={steps.goTo}
        onChanged={(name) => void listing.update({ stored: [name] }).catch(tellFailure)}
      />
    </DropZone>
  );
}

/** The dialogs that are asked for in a folder. */
function askingIn(folder: string, dialog: Signal<DriveDialog | undefined>) {
  const ask = (what: DriveDialog) => {
    dialog.value = what;
  };
  const rename = (entry: Entry) => ask({ kind: 'rename', entry });
  return {
    ask,
    rename,
    move: (entries: readonly Entry[], to?: string) => ask({ kind: 'move', folder, entries, to }),
    public: seesPublic.value ? (name: string) => ask({ kind: 'public', folder: name }) : undefined,
    /** What the pane of a file asks. */
    about(kind: 'share' | 'rename' | 'settings' | 'trash', entry: Entry) {
      if (kind === 'share') ask({ kind, names: [entry.name] });
      else if (kind === 'trash') ask({ kind, prefix: entry.name });
      else ask({ kind, entry });
    },
  };
}

function uploadTo(drive: string, folder: string, files: readonly ChosenFile[]): void {
  const { prefix } = ownReach.peek();
  const isReached = files.every(({ path }) => (folder + path).startsWith(prefix));
  if (!mayWrite.peek()) tellFailure(new PageError('Your key may only read.'));
  else if (isReached) uploadFiles(drive, folder, files);
  else tellFailure(new PageError(`Your key reaches only names that begin with ${visible(prefix)}.`));
}

/** Saves one file as it is, and anything else as a zip. */
function download(drive: string, folder: string, chosen: readonly Entry[]): void {
  const [first] = chosen;
  if (chosen.length === 1 && first?.file !== undefined) downloadFile(drive, first);
  else downloadZip(drive, folder, chosen);
}
