import { route } from '../router.js';
import { lazy } from '../ui/lazy.js';
import { tellFailure } from '../ui/toast.js';
import type { DriveView } from './drive-view.js';
import type { Entry } from './entry.js';
import { FileSettingsDialog } from './file-settings-dialog.js';
import { MoveDialog } from './moves/move-dialog.js';
import { RenameDialog } from './moves/rename-dialog.js';
import { RenameFolderDialog } from './moves/rename-folder-dialog.js';
import { NewFolderDialog } from './new-folder-dialog.js';
import { PublicDialog } from './sharing/public-dialog.js';
import { ShareDialog } from './sharing/share-dialog.js';

const TrashDialog = lazy(async () => (await import('./trash/trash-dialog.js')).TrashDialog);

interface DialogsProps {
  readonly view: DriveView;
}

/** The dialog of a drive that is open. */
export function Dialogs({ view }: DialogsProps) {
  const { drive, dialog, actions, steps } = view;
  const open = dialog.value;
  if (open === undefined) return null;
  const onClose = () => {
    // Work may end after its dialog was closed and another one opened.
    if (dialog.peek() === open) dialog.value = undefined;
  };
  /** The details of a file were changed. */
  const onChanged = (name: string) => void view.open.listing.update({ stored: [name] }).catch(tellFailure);
  const common = { drive, onClose };
  switch (open.kind) {
    case 'new-folder':
      return <NewFolderDialog {...common} folder={open.folder} onGo={steps.goTo} />;
    case 'settings': {
      const { entry } = open;
      return <FileSettingsDialog {...common} entry={entry} onChanged={() => onChanged(entry.name)} />;
    }
    case 'share':
      return <ShareDialog {...common} names={open.names} />;
    case 'trash':
      return (
        <TrashDialog {...common} prefix={open.prefix} onRestored={(names) => names.forEach(onChanged)} />
      );
    case 'public':
      return <PublicDialog {...common} folder={open.folder} />;
    case 'move':
      return (
        <MoveDialog {...common} {...open} move={(to, choices) => actions.move(open.entries, to, choices)} />
      );
    case 'rename':
      return <Rename view={view} entry={open.entry} onClose={onClose} />;
  }
}

interface RenameProps extends DialogsProps {
  readonly entry: Entry;
  onClose(): void;
}

function Rename({ view: { drive, actions, steps }, entry, onClose }: RenameProps) {
  if (entry.file !== undefined) {
    const rename = (to: string, isReplacing: boolean) => actions.rename(entry, to, isReplacing);
    return <RenameDialog entry={entry} rename={rename} onClose={onClose} />;
  }
  return (
    <RenameFolderDialog
      drive={drive}
      entry={entry}
      rename={async (to, choices) => {
        await actions.renameFolder(entry, to, choices);
        if (isShown(drive, entry.name)) steps.goTo(to);
      }}
      onClose={onClose}
    />
  );
}

/** Whether a folder is still the one that the user looks at. */
function isShown(drive: string, folder: string): boolean {
  const now = route.peek();
  return now.screen === 'drives' && now.name === drive && now.parameters.folder === folder;
}
