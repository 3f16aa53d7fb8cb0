import { explain } from '../../api/errors.js';
import { compareNames } from '../../api/name-order.js';
import { client } from '../../api/session.js';
import { Icon } from '../../ui/icon.js';
import { useRead } from '../../ui/use-read.js';
import { visible } from '../../ui/visible.js';
import { markedFolders } from '../folders/markers.js';

interface FolderPickerProps {
  readonly drive: string;
  /** The chosen folder: `a/b/`, or empty for the drive itself. */
  readonly folder: string;
  onChoose(folder: string): void;
}

/** Shows the folders in the chosen one, and the way back, to choose another one by clicks. */
export function FolderPicker({ drive, folder, onChoose }: FolderPickerProps) {
  const { value, failure } = useRead((signal) => readFolders(drive, folder, signal), [drive, folder]);
  const { folders, hasMore = false } = value ?? {};
  const above = folder.replace(/[^/]*\/$/, '');
  return (
    <div
      class="folder-picker"
      role="group"
      aria-label={`Folders in ${visible(folder === '' ? drive : folder)}`}
    >
      {folder !== '' && (
        <FolderChoice icon="arrow-up" text={above === '' ? drive : above} onChoose={() => onChoose(above)} />
      )}
      {failure !== undefined ? (
        <p class="problem">{explain(failure)}</p>
      ) : folders === undefined ? (
        <p class="hint">Reading …</p>
      ) : folders.length === 0 ? (
        <p class="hint">No folders in it.</p>
      ) : (
        folders.map((name) => (
          <FolderChoice
            key={name}
            icon="folder"
            text={name.slice(folder.length)}
            onChoose={() => onChoose(name)}
          />
        ))
      )}
      {hasMore && <p class="hint">There are more: type the path of the others.</p>}
    </div>
  );
}

interface FolderChoiceProps {
  readonly icon: 'folder' | 'arrow-up';
  readonly text: string;
  onChoose(): void;
}

function FolderChoice({ icon, text, onChoose }: FolderChoiceProps) {
  return (
    <button type="button" class="folder-choice" onClick={onChoose}>
      <Icon name={icon} />
      <span class="clip">
        {icon === 'arrow-up' && <span class="hidden-label">Back to </span>}
        {visible(text)}
      </span>
    </button>
  );
}

const limit = 1000;

async function readFolders(drive: string, folder: string, signal: AbortSignal) {
  const marked = markedFolders(drive, folder, { signal });
  // In this order the folders come before the files.
  const options = { prefix: folder, recursive: false, order: 'size', limit, signal } as const;
  const [{ names, paging }] = await Promise.all([
    client().Drive(drive).list(options),
    marked.readTo(undefined),
  ]);
  const found = names.filter((name) => name.endsWith('/') && name !== folder);
  const folders = [...new Set([...found, ...marked.names])].sort(compareNames);
  return { folders, hasMore: paging !== undefined && found.length === limit };
}
