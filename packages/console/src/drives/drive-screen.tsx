import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { PageError } from '../api/errors.js';
import { mayWrite, seesPublic } from '../api/own-key.js';
import { focusGrid, goToRow } from '../grid/grid.js';
import { createSelection } from '../grid/selection.js';
import { go, route, setParameters, stepBack, stepTo } from '../router.js';
import { useShortcuts } from '../ui/shortcuts.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
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
import { onStored } from './uploads/transfers.js';
import { uploadFiles } from './uploads/upload-files.js';
import { fileBeside, useArranged } from './view/arranged.js';
import { DriveFoot } from './view/drive-foot.js';
import { DriveHead } from './view/drive-head.js';
import { FilePane } from './view/file-pane.js';
import { FolderGrid } from './view/folder-grid.js';
import { readAll } from './view/folder-listing.js';
import { nextFileOrder, openListing } from './view/ordered-listing.js';
import { FolderTiles } from './view/tiles/folder-tiles.js';
import { folderView } from './view/tiles/folder-view.js';
import { useFile } from './view/use-file.js';
import { useFollowed } from './view/use-followed.js';

/** The folders and files of a drive. */
export function DriveScreen({ drive }: { readonly drive: string }) {
  const { folder = '', find = '', order = '', file = '' } = route.value.parameters;
  const attempt = useSignal(0);
  // `attempt` reads everything again.
  const listing = useMemo(
    () => openListing(drive, folder, { order, find }),
    [drive, folder, order, find, attempt.value],
  );
  const selection = useMemo(() => createSelection(), [drive, folder]);
  const dialog = useSignal<DriveDialog | undefined>(undefined);
  const isStepping = useRef(false);
  usePublic(drive);
  useTrash(drive);
  const upload = (files: readonly ChosenFile[]) => {
    if (mayWrite.peek()) uploadFiles(drive, folder, files);
    else tellFailure(new PageError('Your key may only read.'));
  };
  useEffect(() => listing.close, [listing]);
  const latest = useRef(listing);
  latest.current = listing;
  useEffect(
    () =>
      onStored((storedIn, name) => {
        if (storedIn === drive) listing.update({ stored: [name] }).catch(tellFailure);
      }),
    [drive, listing],
  );

  useFollowed(drive, folder, order === '' && find === '', latest);
  const entries = useArranged(listing);
  const state = listing.state.value;
  const keys = selection.keys.value;
  const selected = useMemo(() => entries.filter(({ name }) => keys.has(name)), [entries, keys]);
  const shown = useFile(drive, folder, file, listing);
  const reread = () => {
    attempt.value++;
  };
  const actions = fileActions({ drive, shown: () => latest.current, selection, reread });

  const ask = (what: DriveDialog) => {
    dialog.value = what;
  };
  const askToMove = (moved: readonly Entry[], to?: string) =>
    ask({ kind: 'move', folder, entries: moved, to });
  const askPublic = seesPublic.value ? (name: string) => ask({ kind: 'public', folder: name }) : undefined;

  const goTo = (to: string) => go({ screen: 'drives', name: drive, parameters: { folder: to } });
  /** Goes to a folder from the grid of another one, whose focus the new grid gets. */
  const step = (to: string) => {
    isStepping.current = true;
    goTo(to);
  };
  const sortBy = (column: string) => {
    isStepping.current = true;
    stepTo({ order: nextFileOrder(order, column) });
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
  const stepToFile = (by: 1 | -1) => {
    const beside = shown && fileBeside(entries, shown.name, by);
    return beside && (() => openFile(beside.name));
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
  const whole: Entry = { name: folder, label: folder, below: '', file: undefined };

  return (
    <DropZone label={visible(drive)} onFiles={upload}>
      <DriveHead
        drive={drive}
        folder={folder}
        find={find}
        onGo={goTo}
        onFiles={upload}
        onMove={askToMove}
        onZip={entries.length === 0 ? undefined : () => downloadZip(drive, folder, [whole])}
        onNewFolder={() => ask({ kind: 'new-folder', folder })}
        onRename={
          folder === '' || entries.length === 0 ? undefined : () => ask({ kind: 'rename', entry: whole })
        }
        onPublic={askPublic}
        onTrash={() => ask({ kind: 'trash', prefix: '' })}
        onReread={reread}
      />
      <div class="beside">
        {state === 'failed' && entries.length === 0 ? (
          <ErrorState cause={listing.failure.value} onRetry={reread} />
        ) : entries.length === 0 && state !== 'complete' ? (
          <LoadingRows />
        ) : entries.length === 0 ? (
          <EmptyState icon="folder" title={find === '' ? 'No files' : 'No name has this in it'}>
            {find !== '' && 'Capital letters and small ones are different.'}
            {find === '' &&
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
            order={order}
            onOrder={sortBy}
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
            onPrevious={stepToFile(-1)}
            onNext={stepToFile(1)}
            onClose={closeFile}
            onDownload={() => downloadFile(drive, shown)}
            onAsk={(kind) => {
              if (kind === 'share') ask({ kind, names: [shown.name] });
              else if (kind === 'trash') ask({ kind, prefix: shown.name });
              else ask({ kind, entry: shown });
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
        onEnd={() => void readAll(listing).then(() => goToRow('last'), tellFailure)}
        onDownload={() => save(selected)}
        onShare={() => ask({ kind: 'share', names: selected.map(({ name }) => name) })}
        onPublic={askPublic}
        onMove={() => askToMove(selected)}
        onRename={() => {
          const [entry] = selected;
          if (entry !== undefined) ask({ kind: 'rename', entry });
        }}
        onDelete={() => actions.askToDelete(selected)}
        onClear={selection.clear}
      />
      <Dialogs
        drive={drive}
        dialog={dialog}
        actions={actions}
        onGo={goTo}
        onChanged={(name) => void listing.update({ stored: [name] }).catch(tellFailure)}
      />
    </DropZone>
  );
}
