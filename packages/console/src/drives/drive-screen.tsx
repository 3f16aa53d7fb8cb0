import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { drives } from '../api/catalog.js';
import { mayWrite } from '../api/own-key.js';
import { focusGrid } from '../grid/grid.js';
import { createSelection } from '../grid/selection.js';
import { go, route, setParameters, stepBack, stepTo } from '../router.js';
import { useShortcuts } from '../ui/shortcuts.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import { tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import type { ChosenFile } from './chosen-files.js';
import { downloadFile, downloadZip } from './downloads.js';
import { DriveFoot } from './drive-foot.js';
import { DriveHead } from './drive-head.js';
import { DropZone } from './drop-zone.js';
import type { Entry } from './entry.js';
import { fileActions } from './file-actions.js';
import { FilePane } from './file-pane.js';
import { FileSettingsDialog } from './file-settings-dialog.js';
import { FolderGrid } from './folder-grid.js';
import { openFolder } from './folder-listing.js';
import { MoveDialog } from './move-dialog.js';
import { RenameDialog } from './rename-dialog.js';
import { RenameFolderDialog } from './rename-folder-dialog.js';
import { ShareDialog } from './share-dialog.js';
import { FolderTiles } from './tiles/folder-tiles.js';
import { folderView } from './tiles/folder-view.js';
import { TransferPanel } from './transfer-panel.js';
import { onStored } from './transfers.js';
import { uploadFiles } from './upload-files.js';
import { useFile } from './use-file.js';
import { usePublic } from './use-public.js';

/** The folders and files of a drive. */
export function DriveScreen({ drive }: { readonly drive: string }) {
  const { folder = '', filter = '', file = '' } = route.value.parameters;
  const attempt = useSignal(0);
  // `attempt` reads everything again.
  const listing = useMemo(() => openFolder(drive, folder, filter), [drive, folder, filter, attempt.value]);
  const selection = useMemo(() => createSelection(), [drive, folder]);
  const asking = useSignal<'share' | 'settings' | undefined>(undefined);
  const renaming = useSignal<Entry | undefined>(undefined);
  const moving = useSignal<Moving | undefined>(undefined);
  const isStepping = useRef(false);
  const shared = usePublic(drive);
  const upload = (files: readonly ChosenFile[]) => {
    if (mayWrite.peek()) uploadFiles(drive, folder, files);
  };
  const endAsking = () => {
    asking.value = undefined;
    renaming.value = undefined;
  };
  useEffect(() => listing.close, [listing]);
  const latest = useRef(listing);
  latest.current = listing;
  useEffect(
    () =>
      onStored((storedIn, name) => {
        if (storedIn !== drive) return;
        drives.add(drive);
        listing.update({ stored: [name] }).catch(tellFailure);
      }),
    [drive, listing],
  );

  const entries = listing.entries.value;
  const state = listing.state.value;
  const keys = selection.keys.value;
  const selected = useMemo(() => entries.filter(({ name }) => keys.has(name)), [entries, keys]);
  const shown = useFile(drive, folder, file, listing);
  const reread = () => {
    attempt.value++;
  };
  const actions = fileActions({ drive, shown: () => latest.current, selection, reread });

  const askToMove = (moved: readonly Entry[], to?: string) => {
    moving.value = { entries: moved, to };
  };

  const goTo = (to: string) => go({ screen: 'drives', name: drive, parameters: { folder: to } });
  /** Goes to a folder from the grid of another one, whose focus the new grid gets. */
  const step = (to: string) => {
    isStepping.current = true;
    goTo(to);
  };
  useEffect(() => {
    if (!isStepping.current || entries.length === 0) return;
    isStepping.current = false;
    focusGrid();
  }, [entries]);
  // As with an item: Back closes the file, and another one takes its place.
  const openFile = (name: string) =>
    route.peek().parameters.file === undefined ? stepTo({ file: name }) : setParameters({ file: name });
  const closeFile = () => {
    if (route.peek().parameters.file !== undefined) stepBack({ file: '' });
  };
  const open = (entry: Entry) => (entry.file === undefined ? step(entry.name) : openFile(entry.name));
  const save = (chosen: readonly Entry[]) => {
    const [first] = chosen;
    if (chosen.length === 1 && first?.file !== undefined) downloadFile(drive, first);
    else downloadZip(drive, folder, chosen);
  };
  useShortcuts({
    '/': () => document.querySelector<HTMLElement>('.folder-filter')?.focus(),
    Escape: closeFile,
  });
  const Folder = folderView.value === 'tiles' ? FolderTiles : FolderGrid;
  const whole: Entry = { name: folder, label: folder, file: undefined };

  return (
    <DropZone label={visible(drive)} onFiles={upload}>
      <DriveHead
        drive={drive}
        folder={folder}
        filter={filter}
        onGo={goTo}
        onFiles={upload}
        onMove={askToMove}
        onZip={entries.length === 0 ? undefined : () => downloadZip(drive, folder, [whole])}
        onRename={
          folder === '' || entries.length === 0
            ? undefined
            : () => {
                renaming.value = whole;
              }
        }
        onPublic={shared.ask}
        onReread={reread}
      />
      <div class="beside">
        {state === 'failed' && entries.length === 0 ? (
          <ErrorState cause={listing.failure.value} onRetry={reread} />
        ) : entries.length === 0 && state !== 'complete' ? (
          <LoadingRows />
        ) : entries.length === 0 ? (
          <EmptyState icon="folder" title={filter === '' ? 'No files' : 'No name begins like this'}>
            {filter === '' &&
              mayWrite.value &&
              `Drop files or folders here, or choose Upload.${folder === '' ? '' : ' The folder exists as soon as it has a file.'}`}
          </EmptyState>
        ) : (
          <Folder
            key={folder}
            drive={drive}
            label={`Files of ${drive}/${folder}`}
            entries={entries}
            isComplete={state === 'complete'}
            selection={selection}
            openName={shown?.name}
            onOpen={open}
            onNearEnd={() => void listing.more()}
            onDelete={mayWrite.value ? actions.askToDelete : undefined}
            onLeave={() => {
              if (folder !== '') step(folder.replace(/[^/]*\/$/, ''));
            }}
            onMove={mayWrite.value ? askToMove : undefined}
          />
        )}
        {shown !== undefined && (
          <FilePane
            drive={drive}
            entry={shown}
            onClose={closeFile}
            onDownload={() => downloadFile(drive, shown)}
            onAsk={(what) => {
              if (what === 'rename') renaming.value = shown;
              else asking.value = what;
            }}
            onDelete={() => actions.askToDelete([shown])}
          />
        )}
      </div>
      <TransferPanel drive={drive} />
      <DriveFoot
        selected={selected}
        count={entries.length}
        isComplete={state === 'complete'}
        onDownload={() => save(selected)}
        onShare={() => {
          asking.value = 'share';
        }}
        onPublic={shared.ask}
        onMove={() => askToMove(selected)}
        onRename={() => {
          renaming.value = selected[0];
        }}
        onDelete={() => actions.askToDelete(selected)}
        onClear={selection.clear}
      />
      {shared.dialog}
      {renaming.value !== undefined &&
        (renaming.value.file === undefined ? (
          <RenameFolderDialog
            drive={drive}
            entry={renaming.value}
            rename={async (to, choices) => {
              const entry = renaming.value ?? whole;
              await actions.renameFolder(entry, to, choices);
              if (entry.name === folder) goTo(to);
            }}
            onClose={endAsking}
          />
        ) : (
          <RenameDialog
            entry={renaming.value}
            rename={(to, isReplacing) => actions.rename(renaming.value ?? whole, to, isReplacing)}
            onClose={endAsking}
          />
        ))}
      {asking.value === 'settings' && shown !== undefined && (
        <FileSettingsDialog
          drive={drive}
          entry={shown}
          onChanged={() => void listing.update({ stored: [shown.name] }).catch(tellFailure)}
          onClose={endAsking}
        />
      )}
      {asking.value === 'share' && (
        <ShareDialog
          drive={drive}
          names={(selected.length > 0 ? selected : shown === undefined ? [] : [shown]).map(
            ({ name }) => name,
          )}
          onClose={endAsking}
        />
      )}
      {moving.value !== undefined && (
        <MoveDialog
          drive={drive}
          folder={folder}
          {...moving.value}
          move={(to, choices) => actions.move(moving.value?.entries ?? [], to, choices)}
          onClose={() => {
            moving.value = undefined;
          }}
        />
      )}
    </DropZone>
  );
}

/** Entries that are to be moved. */
interface Moving {
  readonly entries: readonly Entry[];
  /** The folder on which they were dropped; undefined to ask for it. */
  readonly to: string | undefined;
}
