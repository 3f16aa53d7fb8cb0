import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { mayWrite, ownReach } from '../../api/own-key.js';
import { setParameters, stepTo } from '../../router.js';
import { Button, IconButton } from '../../ui/button.js';
import { isPhone } from '../../ui/media.js';
import { Menu, MenuItem } from '../../ui/menu.js';
import { downloadZip } from '../downloads/downloads.js';
import type { DriveView } from '../drive-view.js';
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
  readonly view: DriveView;
}

/** The path of the shown folder, the names that are looked for in it, and what is done with it as a whole. */
export function DriveHead({ view }: DriveHeadProps) {
  const { drive, folder, find, steps, upload, move, showPublic } = view;
  const isFinding = useSignal(find !== '');
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  return (
    <header class="screen-head drive-head">
      <PathBar drive={drive} folder={folder} onGo={steps.goTo} onMove={move} />
      <PublicBadge drive={drive} folder={folder} onOpen={() => showPublic?.(folder)} />
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
        {!isPhone.value && <IconButton {...otherView()} />}
        {mayAddTo(folder) && (
          <Button text="Upload" variant="primary" icon="upload" onClick={() => filesInput.current?.click()} />
        )}
        <MoreMenu view={view} onUploadFolder={() => folderInput.current?.click()} />
      </span>
      <FilesInput input={filesInput} label="Files to upload" onFiles={upload} />
      <FilesInput input={folderInput} label="Folder to upload" isFolder onFiles={upload} />
    </header>
  );
}

/** Whether a file in this very folder can have a name that the key reaches. */
function mayAddTo(folder: string): boolean {
  const { prefix } = ownReach.value;
  const isAbove = prefix.startsWith(folder) && !prefix.slice(folder.length).includes('/');
  return mayWrite.value && (isAbove || folder.startsWith(prefix));
}

/** The button that shows the folder the other way: as tiles or as a list. */
function otherView() {
  const icon = folderView.value === 'tiles' ? 'list' : 'tiles';
  const onClick = () => {
    folderView.value = icon;
  };
  return { icon, label: icon === 'tiles' ? 'Show tiles' : 'Show a list', onClick } as const;
}

/** What is done with the folder as a whole, and on a phone how it is shown. */
function MoreMenu({ view, onUploadFolder }: DriveHeadProps & { onUploadFolder(): void }) {
  const { drive, folder, open, ask, showPublic } = view;
  const whole: Entry = { name: folder, label: folder, below: '', file: undefined };
  const { icon, label, onClick } = otherView();
  return (
    <Menu label="More">
      {isPhone.value && <MenuItem text={label} icon={icon} onChoose={onClick} />}
      {(isPhone.value || folderView.value === 'tiles') &&
        orders.map(([text, order]) => (
          <MenuItem text={text} key={order} icon="list" onChoose={() => stepTo({ order })} />
        ))}
      {mayAddTo(folder) && <MenuItem text="Upload a folder" icon="folder" onChoose={onUploadFolder} />}
      {mayAddTo(folder) && (
        <MenuItem text="New folder" icon="plus" onChoose={() => ask({ kind: 'new-folder', folder })} />
      )}
      {mayWrite.value && folder !== '' && (
        <MenuItem text="Rename the folder" icon="pencil" onChoose={() => view.rename(whole)} />
      )}
      <MenuItem
        text="Download the folder as a zip"
        icon="download"
        disabled={open.entries.length === 0}
        onChoose={() => downloadZip(drive, folder, [whole])}
      />
      {showPublic !== undefined && (
        <MenuItem text="Public files" icon="globe" onChoose={() => showPublic(folder)} />
      )}
      <MenuItem text="Trash" icon="revert" onChoose={() => ask({ kind: 'trash', prefix: '' })} />
      <MenuItem text="Read again" icon="refresh" onChoose={open.reread} />
    </Menu>
  );
}

interface FilesInputProps {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly label: string;
  /** A folder is chosen, with all that is in it. */
  readonly isFolder?: boolean;
  onFiles(files: readonly ChosenFile[]): void;
}

/** Asks for files of the disk when it is clicked by a button. */
function FilesInput({ input, label, isFolder = false, onFiles }: FilesInputProps) {
  return (
    <input
      ref={(element) => {
        input.current = element;
        if (isFolder) element?.setAttribute('webkitdirectory', '');
      }}
      type="file"
      multiple={!isFolder}
      hidden
      aria-label={label}
      onChange={({ currentTarget }) => {
        onFiles(filesOfInput(currentTarget));
        currentTarget.value = '';
      }}
    />
  );
}
