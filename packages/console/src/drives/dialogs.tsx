import type { Signal } from '@preact/signals';
import { route } from '../router.js';
import { lazy } from '../ui/lazy.js';
import type { Entry } from './entry.js';
import type { FileActions } from './file-actions.js';
import { FileSettingsDialog } from './file-settings-dialog.js';
import { MoveDialog } from './moves/move-dialog.js';
import { RenameDialog } from './moves/rename-dialog.js';
import { RenameFolderDialog } from './moves/rename-folder-dialog.js';
import { NewFolderDialog } from './new-folder-dialog.js';
import { PublicDialog } from './sharing/public-dialog.js';
import { ShareDialog } from './sharing/share-dialog.js';

const TrashDialog = lazy(async () => (await import('./trash/trash-dialog.js')).TrashDialog);

/** A dialog of a drive, with what it is about. `folder` is where the user was when it was opened. */
export type DriveDialog =
  | { readonly kind: 'new-folder'; readonly folder: string }
  | { readonly kind: 'rename' | 'settings'; readonly entry: Entry }
  /** `to` is the folder on which the entries were dropped; undefined to ask for it. */
  | {
      readonly kind: 'move';
      readonly folder: string;
      readonly entries: readonly Entry[];
      readonly to: string | undefined;
    }
  | { readonly kind: 'share'; readonly names: readonly string[] }
  /** `folder` is offered: `site/`, or empty for none. */
  | { readonly kind: 'public'; readonly folder: string }
  /** `prefix`: the name of a file whose versions are wanted; empty for all. */
  | { readonly kind: 'trash'; readonly prefix: string };

interface DialogsProps {
  readonly drive: string;
  readonly dialog: Signal<DriveDialog | undefined>;
  readonly actions: FileActions;
  onGo(folder: string): void;
  /** The details of a file were changed. */
  onChanged(name: string): void;
}

/** The dialog of a drive that is open. */
export function Dialogs({ drive, dialog, actions, onGo, onChanged }: DialogsProps) {
  const open = dialog.value;
  if (open === undefined) return null;
  const onClose = () => {
    // Work may end after its dialog was closed and another one opened.
    if (dialog.peek() === open) dialog.value = undefined;
  };
  const common = { drive, onClose };
  switch (open.kind) {
    case 'new-folder':
      return <NewFolderDialog {...common} folder={open.folder} onGo={onGo} />;
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
      return <Rename {...common} entry={open.entry} actions={actions} onGo={onGo} />;
  }
}

interface RenameProps extends Pick<DialogsProps, 'drive' | 'actions' | 'onGo'> {
  readonly entry: Entry;
  onClose(): void;
}

function Rename({ drive, entry, actions, onGo, onClose }: RenameProps) {
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
        if (isShown(drive, entry.name)) onGo(to);
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
