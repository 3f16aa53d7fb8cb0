import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { setParameters, stepTo } from '../../router.js';
import { Button, IconButton } from '../../ui/button.js';
import { isPhone } from '../../ui/media.js';
import { Menu, MenuItem } from '../../ui/menu.js';
import type { Entry } from '../entry.js';
import { PublicBadge } from '../sharing/public-mark.js';
import { type ChosenFile, filesOfInput } from '../uploads/chosen-files.js';
import { PathBar } from './path-bar.js';
import { folderView } from './tiles/folder-view.js';

/** Where no heads of columns can be clicked. */
const orders: readonly (readonly [string, string])[] = [
  ['By name', ''],
  ['Newest first', '-modified'],
  ['Largest first', '-size'],
  ['By type', 'content_type'],
];

interface DriveHeadProps {
  readonly drive: string;
  readonly folder: string;
  readonly find: string;
  onGo(folder: string): void;
  onFiles(files: readonly ChosenFile[]): void;
  /** Entries were dropped on a folder of the path. */
  onMove(entries: readonly Entry[], folder: string): void;
  /** The folder is to be saved as a zip; undefined if it has nothing. */
  readonly onZip: (() => void) | undefined;
  /** A folder is to be made in it. */
  onNewFolder(): void;
  /** The folder is to be renamed; undefined for the drive itself and for a folder without files. */
  readonly onRename: (() => void) | undefined;
  /** Shows what is public; undefined if the key may not see it. */
  readonly onPublic: ((folder: string) => void) | undefined;
  onTrash(): void;
  onReread(): void;
}

/** The path of the shown folder, the names that are looked for in it, and what is done with it as a whole. */
export function DriveHead(props: DriveHeadProps) {
  const { drive, folder, find, onGo, onFiles, onMove, onZip } = props;
  const { onNewFolder, onRename, onPublic, onTrash, onReread } = props;
  const isFinding = useSignal(find !== '');
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    onFiles(filesOfInput(input));
    input.value = '';
  };
  const otherView = folderView.value === 'tiles' ? 'list' : 'tiles';
  const otherLabel = otherView === 'tiles' ? 'Show tiles' : 'Show a list';
  const showOther = () => {
    folderView.value = otherView;
  };
  return (
    <header class="screen-head drive-head">
      <PathBar drive={drive} folder={folder} onGo={onGo} onMove={onMove} />
      <PublicBadge drive={drive} folder={folder} onOpen={() => onPublic?.(folder)} />
      {(!isPhone.value || isFinding.value) && (
        <input
          class="input folder-filter"
          type="search"
          aria-label="Find in the names of this folder and those below"
          placeholder="Find a name"
          value={find}
          onInput={(event) => setParameters({ find: event.currentTarget.value, file: '' })}
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
              setParameters({ find: '' });
            }}
          />
        )}
        {!isPhone.value && <IconButton icon={otherView} label={otherLabel} onClick={showOther} />}
        {mayWrite.value && (
          <Button variant="primary" icon="upload" onClick={() => filesInput.current?.click()}>
            Upload
          </Button>
        )}
        <Menu label="More">
          {isPhone.value && (
            <MenuItem icon={otherView} onChoose={showOther}>
              {otherLabel}
            </MenuItem>
          )}
          {(isPhone.value || folderView.value === 'tiles') &&
            orders.map(([text, order]) => (
              <MenuItem key={order} icon="list" onChoose={() => stepTo({ order })}>
                {text}
              </MenuItem>
            ))}
          {mayWrite.value && (
            <MenuItem icon="folder" onChoose={() => folderInput.current?.click()}>
              Upload a folder
            </MenuItem>
          )}
          {mayWrite.value && (
            <MenuItem icon="plus" onChoose={onNewFolder}>
              New folder
            </MenuItem>
          )}
          {mayWrite.value && folder !== '' && (
            <MenuItem icon="pencil" disabled={onRename === undefined} onChoose={() => onRename?.()}>
              Rename the folder
            </MenuItem>
          )}
          <MenuItem icon="download" disabled={onZip === undefined} onChoose={() => onZip?.()}>
            Download the folder as a zip
          </MenuItem>
          {onPublic !== undefined && (
            <MenuItem icon="globe" onChoose={() => onPublic(folder)}>
              Public files
            </MenuItem>
          )}
          <MenuItem icon="revert" onChoose={onTrash}>
            Trash
          </MenuItem>
          <MenuItem icon="refresh" onChoose={onReread}>
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
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={(element) => {
          folderInput.current = element;
          element?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        hidden
        aria-label="Folder to upload"
        onChange={(event) => take(event.currentTarget)}
      />
    </header>
  );
}
