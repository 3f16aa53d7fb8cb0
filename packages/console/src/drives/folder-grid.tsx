import { useSignal } from '@preact/signals';
import { Grid, type GridColumn } from '../grid/grid.js';
import type { Place } from '../grid/move.js';
import type { Selection } from '../grid/selection.js';
import { formatBytes, formatFromNow, formatTime } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { isPhone } from '../ui/media.js';
import { visible } from '../ui/visible.js';
import type { Entry } from './entry.js';

const columns: readonly GridColumn[] = [
  { id: 'name', width: 360 },
  { id: 'size', width: 104 },
  { id: 'type', width: 200 },
  { id: 'modified', width: 176 },
  { id: 'expires', width: 128 },
];
const cardHeight = 72;

interface FolderGridProps {
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly isComplete: boolean;
  readonly selection: Selection;
  onOpen(entry: Entry): void;
  onNearEnd(): void;
}

/** The files and folders of a folder as a table. */
export function FolderGrid({ label, entries, isComplete, selection, onOpen, onNearEnd }: FolderGridProps) {
  const active = useSignal<Place>({ row: 0, column: 0 });
  const names = entries.map(({ name }) => name);
  const selected = selection.keys.value;
  const open = ({ row }: Place) => {
    const entry = entries[row];
    if (entry !== undefined) onOpen(entry);
  };
  return (
    <Grid
      label={label}
      columns={columns}
      rowCount={entries.length}
      totalCount={isComplete ? entries.length : undefined}
      active={active.value}
      cardHeight={isPhone.value ? cardHeight : undefined}
      rowId={(row) => names[row] ?? ''}
      isSelected={(row) => (row === -1 ? selected.size >= names.length : selected.has(names[row] ?? ''))}
      header={({ id }) => <span class="column-head plain-head">{id[0]?.toUpperCase() + id.slice(1)}</span>}
      cell={(row, { id }) => <FolderCell entry={entries[row]} column={id} onOpen={onOpen} />}
      card={(row) => <FileCard entry={entries[row]} />}
      onActive={(place) => {
        active.value = place;
      }}
      onSelect={(row, isRange) =>
        row === -1 ? selection.toggleAll(names) : selection.toggle(row, names, isRange)
      }
      onOpen={open}
      onNearEnd={onNearEnd}
    />
  );
}

interface FolderCellProps {
  readonly entry: Entry | undefined;
  readonly column: string;
  onOpen(entry: Entry): void;
}

function FolderCell({ entry, column, onOpen }: FolderCellProps) {
  if (entry === undefined) return null;
  const { file, label } = entry;
  switch (column) {
    case 'name':
      return (
        <button
          type="button"
          tabIndex={-1}
          class="file-name"
          title={visible(entry.name)}
          onClick={() => onOpen(entry)}
        >
          <Icon name={file === undefined ? 'folder' : 'file'} />
          <span class="clip">{visible(label)}</span>
        </button>
      );
    case 'size':
      return <span class="value">{file === undefined ? '—' : formatBytes(file.size)}</span>;
    case 'type':
      return <span class="clip">{file === undefined ? '' : visible(file.content_type)}</span>;
    case 'modified':
      return <span class="clip">{file === undefined ? '' : formatTime(file.modified)}</span>;
    default:
      return file?.expires === undefined ? null : (
        <span class="clip" title={formatTime(file.expires)}>
          {formatFromNow(file.expires)}
        </span>
      );
  }
}

function FileCard({ entry }: { readonly entry: Entry | undefined }) {
  if (entry === undefined) return null;
  const { file, label } = entry;
  return (
    <>
      <div class="card-key row">
        <Icon name={file === undefined ? 'folder' : 'file'} />
        <span class="clip">{visible(label)}</span>
      </div>
      <div class="meta">
        {file === undefined ? 'Folder' : `${formatBytes(file.size)} · ${formatTime(file.modified)}`}
      </div>
    </>
  );
}
