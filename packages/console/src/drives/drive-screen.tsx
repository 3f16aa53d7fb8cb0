import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { drives } from '../api/catalog.js';
import { mayShare, mayWrite } from '../api/own-key.js';
import { createSelection } from '../grid/selection.js';
import { go, route, setParameters } from '../router.js';
import { Button, IconButton } from '../ui/button.js';
import { confirm } from '../ui/confirm.js';
import { countOf, formatCount } from '../ui/format.js';
import { isPhone } from '../ui/media.js';
import { Menu, MenuItem } from '../ui/menu.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { deleteEntries, moveEntries, renameEntry } from './change-files.js';
import { type ChosenFile, filesOfInput } from './chosen-files.js';
import { download } from './download.js';
import { DropZone } from './drop-zone.js';
import type { Entry } from './entry.js';
import { FilePane } from './file-pane.js';
import { FolderGrid } from './folder-grid.js';
import { openFolder } from './folder-listing.js';
import { PathBar } from './path-bar.js';
import { PathDialog } from './path-dialog.js';
import { ShareDialog } from './share-dialog.js';
import { TransferPanel } from './transfer-panel.js';
import { sendFiles, storedIn } from './transfers.js';

/** The folders and files of a drive. */
export function DriveScreen({ drive }: { readonly drive: string }) {
  const { folder = '', filter = '', file = '' } = route.value.parameters;
  const attempt = useSignal(0);
  // `attempt` reads everything again.
  const listing = useMemo(() => openFolder(drive, folder, filter), [drive, folder, filter, attempt.value]);
  const selection = useMemo(() => createSelection(), [drive, folder]);
  const asking = useSignal<'rename' | 'move' | 'share' | undefined>(undefined);
  const isFinding = useSignal(filter !== '');
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  useEffect(() => listing.close, [listing]);
  const stored = storedIn.value;
  useEffect(() => {
    if (stored.drive !== drive) return;
    drives.add(drive);
    void listing.reload();
  }, [stored]);

  const entries = listing.entries.value;
  const state = listing.state.value;
  const selected = entries.filter(({ name }) => selection.keys.value.has(name));
  const shown = entries.find(({ name, file: facts }) => name === file && facts !== undefined);

  const goTo = (to: string) => go({ screen: 'drives', name: drive, parameters: { folder: to } });
  const open = (entry: Entry) =>
    entry.file === undefined ? goTo(entry.name) : setParameters({ file: entry.name });
  const send = (files: readonly ChosenFile[]) => {
    if (mayWrite.peek()) sendFiles(drive, folder, files);
  };
  const save = (entry: Entry) => void download(drive, entry.name, entry.file?.size ?? 0).catch(tellFailure);

  async function changed(): Promise<void> {
    selection.clear();
    await listing.reload();
  }

  function askToDelete(chosen: readonly Entry[]): void {
    const [first] = chosen;
    if (first === undefined) return;
    const folders = chosen.filter((entry) => entry.file === undefined);
    const what = chosen.length === 1 ? visible(first.label) : `${formatCount(chosen.length)} entries`;
    confirm({
      title: `Delete ${what}?`,
      text:
        folders.length > 0
          ? 'All files in the chosen folders are deleted. This cannot be undone.'
          : 'This cannot be undone.',
      verb: 'Delete',
      danger: true,
      typed: folders.length > 0 ? 'delete' : undefined,
      act: async () => {
        const count = await deleteEntries(drive, chosen);
        setParameters({ file: '' });
        await changed();
        tell(`Deleted ${countOf(count, 'file')}`);
      },
    });
  }

  const renamed = shown ?? selected[0];
  return (
    <DropZone label={visible(drive)} onFiles={send}>
      <header class="screen-head drive-head">
        <PathBar drive={drive} folder={folder} onGo={goTo} />
        {(!isPhone.value || isFinding.value) && (
          <input
            class="input folder-filter"
            type="search"
            aria-label="Names in this folder that begin with"
            placeholder="Begins with"
            value={filter}
            onInput={(event) => setParameters({ filter: event.currentTarget.value, file: '' })}
          />
        )}
        <span class="screen-actions">
          {isPhone.value && (
            <IconButton
              icon="search"
              label="Find names in this folder"
              aria-expanded={isFinding.value}
              onClick={() => {
                isFinding.value = !isFinding.value;
                setParameters({ filter: '' });
              }}
            />
          )}
          {mayWrite.value && (
            <Button variant="primary" icon="upload" onClick={() => filesInput.current?.click()}>
              Upload
            </Button>
          )}
          <Menu label="More">
            {mayWrite.value && (
              <MenuItem icon="folder" onChoose={() => folderInput.current?.click()}>
                Upload a folder
              </MenuItem>
            )}
            <MenuItem icon="refresh" onChoose={() => attempt.value++}>
              Read again
            </MenuItem>
          </Menu>
        </span>
        <input
          ref={filesInput}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={(event) => {
            send(filesOfInput(event.currentTarget));
            event.currentTarget.value = '';
          }}
        />
        <input
          ref={(element) => {
            folderInput.current = element;
            element?.setAttribute('webkitdirectory', '');
          }}
          type="file"
          hidden
          aria-label="Folder to upload"
          onChange={(event) => {
            send(filesOfInput(event.currentTarget));
            event.currentTarget.value = '';
          }}
        />
      </header>
      <div class="beside">
        {state === 'failed' && entries.length === 0 ? (
          <ErrorState cause={listing.failure.value} onRetry={() => attempt.value++} />
        ) : entries.length === 0 && state !== 'complete' ? (
          <LoadingRows />
        ) : entries.length === 0 ? (
          <EmptyState icon="folder" title={filter === '' ? 'No files' : 'No name begins like this'}>
            {filter === '' && mayWrite.value && 'Drop files or folders here, or choose Upload.'}
          </EmptyState>
        ) : (
          <FolderGrid
            label={`Files of ${drive}/${folder}`}
            entries={entries}
            isComplete={state === 'complete'}
            selection={selection}
            onOpen={open}
            onNearEnd={() => void listing.more()}
          />
        )}
        {shown !== undefined && (
          <FilePane
            drive={drive}
            entry={shown}
            onClose={() => setParameters({ file: '' })}
            onDownload={() => save(shown)}
            onShare={() => {
              asking.value = 'share';
            }}
            onRename={() => {
              asking.value = 'rename';
            }}
            onDelete={() => askToDelete([shown])}
          />
        )}
      </div>
      <TransferPanel drive={drive} />
      <footer class="screen-foot">
        {selected.length > 0 && (
          <>
            <span>{formatCount(selected.length)} selected</span>
            {mayShare.value && selected.every(({ file: facts }) => facts !== undefined) && (
              <Button
                variant="quiet"
                icon="link"
                onClick={() => {
                  asking.value = 'share';
                }}
              >
                Share
              </Button>
            )}
            {mayWrite.value && (
              <>
                <Button
                  variant="quiet"
                  icon="folder"
                  onClick={() => {
                    asking.value = 'move';
                  }}
                >
                  Move
                </Button>
                <Button variant="quiet" icon="trash" onClick={() => askToDelete(selected)}>
                  Delete
                </Button>
              </>
            )}
            <Button variant="quiet" onClick={selection.clear}>
              Clear
            </Button>
          </>
        )}
        <span class="meta push">
          {formatCount(entries.length)}
          {state === 'complete' ? '' : '+'} {entries.length === 1 ? 'entry' : 'entries'}
        </span>
      </footer>
      {asking.value === 'rename' && renamed !== undefined && (
        <PathDialog
          title="Rename"
          label="Name"
          hint="The whole name, with its folders. No byte moves."
          verb="Rename"
          value={renamed.name}
          act={async (to) => {
            await renameEntry(drive, renamed, to);
            setParameters({ file: to });
            await changed();
            tell('Renamed');
          }}
          onClose={() => {
            asking.value = undefined;
          }}
        />
      )}
      {asking.value === 'share' && (
        <ShareDialog
          drive={drive}
          names={(selected.length > 0 ? selected : shown === undefined ? [] : [shown]).map(
            ({ name }) => name,
          )}
          onClose={() => {
            asking.value = undefined;
          }}
        />
      )}
      {asking.value === 'move' && (
        <PathDialog
          title={`Move ${formatCount(selected.length)} of ${visible(drive)}`}
          label="To the folder"
          hint="Empty for the drive itself. A folder that does not exist yet is created."
          verb="Move"
          value={folder}
          act={async (to) => {
            await moveEntries(drive, selected, to === '' || to.endsWith('/') ? to : `${to}/`);
            await changed();
            tell('Moved');
          }}
          onClose={() => {
            asking.value = undefined;
          }}
        />
      )}
    </DropZone>
  );
}
