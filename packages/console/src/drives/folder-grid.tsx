import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { Grid } from '../grid/grid.js';
import type { GridCell, GridColumn } from '../grid/grid-props.js';
import type { Place } from '../grid/move.js';
import type { Selection } from '../grid/selection.js';
import { formatBytes, formatFromNow, formatTime } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { isPhone } from '../ui/media.js';
import { visible } from '../ui/visible.js';
import { dragEntries, dropTarget } from './drag.js';
import type { Entry } from './entry.js';
import { PublicMark } from './public-mark.js';

const columns: readonly GridColumn[] = [
  { id: 'name', width: 360 },
  { id: 'size', width: 104 },
  { id: 'type', width: 200 },
  { id: 'modified', width: 208 },
  { id: 'expires', width: 128 },
];
const cardHeight = 72;

interface FolderGridProps {
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly isComplete: boolean;
  readonly selection: Selection;
  /** The name of the file that is open beside it. */
  readonly openName: string | undefined;
  onOpen(entry: Entry): void;
  onNearEnd(): void;
  /** Delete was pressed; undefined if nothing may be deleted. */
  readonly onDelete: ((entries: readonly Entry[]) => void) | undefined;
  /** Backspace was pressed. */
  onLeave(): void;
  /** Entries were dropped on a folder; undefined if nothing may be moved. */
  readonly onMove: ((entries: readonly Entry[], folder: string) => void) | undefined;
}

/** The files and folders of a folder as a table. */
export function FolderGrid(props: FolderGridProps) {
  const { label, entries, isComplete, selection, openName, onOpen, onNearEnd, onDelete, onLeave, onMove } =
    props;
  const active = useSignal<Place>({ row: 0, column: 0 });
  const names = useMemo(() => entries.map(({ name }) => name), [entries]);
  const selected = selection.keys.value;
  const open = ({ row }: Place) => {
    const entry = entries[row];
    if (entry !== undefined) onOpen(entry);
  };
  /** The selected entries, if this is one of them: then what is done with it is done with all. */
  const withSelected = (entry: Entry) =>
    selected.has(entry.name) ? entries.filter(({ name }) => selected.has(name)) : [entry];

  // A row is drawn once, and its events then do what they would do now.
  const latest = useRef({ onOpen, onMove, withSelected });
  latest.current = { onOpen, onMove, withSelected };
  const actions: CellActions = {
    canMove: onMove !== undefined,
    onOpen: (entry) => latest.current.onOpen(entry),
    onMove: (moved, folder) => latest.current.onMove?.(moved, folder),
    onDrag: (event, entry) => dragEntries(event, latest.current.withSelected(entry)),
  };

  function onKey(event: KeyboardEvent, { row }: Place): void {
    const entry = entries[row];
    const isMod = event.ctrlKey || event.metaKey;
    if (event.key === 'Delete' && entry !== undefined) onDelete?.(withSelected(entry));
    else if (event.key === 'Backspace') onLeave();
    else if (isMod && event.key === 'a') selection.toggleAll(names);
    else return;
    event.preventDefault();
  }

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
      hasSelection={selected.size > 0}
      isOpen={(row) => openName !== undefined && names[row] === openName}
      header={({ id }) => <span class="column-head plain-head">{id[0]?.toUpperCase() + id.slice(1)}</span>}
      rowState={(row) => [entries[row], onMove !== undefined]}
      cell={(row, { id }) => cellOf(entries[row], id, actions)}
      card={(row) => <FileCard entry={entries[row]} />}
      onActive={(place) => {
        active.value = place;
      }}
      onSelect={(row, isRange) => {
        if (row >= 0) selection.toggle(row, names, isRange);
        else if (selected.size > 0) selection.clear();
        else selection.toggleAll(names);
      }}
      onExtend={(from, to) => selection.extend(from, to, names)}
      onKey={onKey}
      onOpen={open}
      onNearEnd={onNearEnd}
    />
  );
}

interface CellActions {
  readonly canMove: boolean;
  onOpen(entry: Entry): void;
  onMove(entries: readonly Entry[], folder: string): void;
  onDrag(event: DragEvent, entry: Entry): void;
}

function cellOf(entry: Entry | undefined, column: string, actions: CellActions): GridCell {
  if (entry === undefined) return { content: null };
  const { file } = entry;
  switch (column) {
    case 'name':
      return { content: <EntryName entry={entry} actions={actions} /> };
    case 'size':
      return { content: file === undefined ? '—' : formatBytes(file.size) };
    case 'type':
      return { content: file === undefined ? '' : visible(file.content_type) };
    case 'modified':
      return { content: file === undefined ? '' : formatTime(file.modified) };
    default:
      return file?.expires === undefined
        ? { content: null }
        : { content: formatFromNow(file.expires), title: formatTime(file.expires) };
  }
}

interface EntryNameProps {
  readonly entry: Entry;
  readonly actions: CellActions;
}

function EntryName({ entry, actions: { canMove, onOpen, onMove, onDrag } }: EntryNameProps) {
  const isFolder = entry.file === undefined;
  return (
    <div
      role="none"
      class="file-name"
      draggable={canMove}
      onDragStart={(event) => onDrag(event, entry)}
      {...(isFolder && canMove ? dropTarget(entry.name, onMove) : {})}
    >
      <Icon name={isFolder ? 'folder' : 'file'} />
      <button
        type="button"
        tabIndex={-1}
        class="file-opener clip"
        title={visible(entry.name)}
        onClick={() => onOpen(entry)}
      >
        {visible(entry.label)}
      </button>
      {isFolder && <PublicMark name={entry.name} />}
    </div>
  );
}

function FileCard({ entry }: { readonly entry: Entry | undefined }) {
  if (entry === undefined) return null;
  const { file, label } = entry;
  return (
    <>
      <div class="card-key row">
        <Icon name={file === undefined ? 'folder' : 'file'} />
        <span class="clip">{visible(label)}</span>
        {file === undefined && <PublicMark name={entry.name} />}
      </div>
      <div class="meta">
        {file === undefined ? 'Folder' : `${formatBytes(file.size)} · ${formatTime(file.modified)}`}
      </div>
    </>
  );
}
