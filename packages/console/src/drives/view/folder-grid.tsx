import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Grid } from '../../grid/grid.js';
import type { GridCell, GridColumn } from '../../grid/grid-props.js';
import type { Place } from '../../grid/move.js';
import { directionOf } from '../../ui/direction.js';
import { formatBytes, formatFromNow, formatTime } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { isPhone } from '../../ui/media.js';
import { visible } from '../../ui/visible.js';
import type { Entry } from '../entry.js';
import { PublicMark } from '../sharing/public-mark.js';
import { type EntryActions, type FolderViewProps, useEntryActions } from './entry-actions.js';
import { EntryIcon } from './entry-icon.js';
import { EntryOpener } from './entry-opener.js';
import { FolderSize } from './folder-size.js';

interface FileColumn {
  readonly id: string;
  readonly label: string;
  readonly width: number;
  /** Whether the service can order by it. */
  readonly isOrder: boolean;
}

const columns: readonly FileColumn[] = [
  { id: 'name', label: 'Name', width: 360, isOrder: true },
  { id: 'size', label: 'Size', width: 104, isOrder: true },
  { id: 'content_type', label: 'Type', width: 200, isOrder: true },
  { id: 'modified', label: 'Modified', width: 208, isOrder: true },
  { id: 'expires', label: 'Expires', width: 128, isOrder: false },
];
const cardHeight = 72;

/** The files and folders of a folder as a table. */
export function FolderGrid({ view, openName }: FolderViewProps) {
  const { drive, folder, order, steps } = view;
  const { listing, entries, selection } = view.open;
  const active = useSignal<Place>({ row: 0, column: 0 });
  const names = useMemo(() => entries.map(({ name }) => name), [entries]);
  const selected = selection.keys.value;
  const sortBy = (id: string) => {
    if (columns.some((column) => column.id === id && column.isOrder)) steps.sortBy(id);
  };
  const open = ({ row, column }: Place) => {
    if (row === -1) sortBy(columns[column]?.id ?? '');
    const entry = entries[row];
    if (entry !== undefined) steps.open(entry);
  };
  const actions = useEntryActions(view);

  return (
    <Grid
      label={`Files of ${drive}/${folder}`}
      columns={columns.map(({ id, width }) => ({ id, width, sort: sortOf(order, id) }))}
      rowCount={entries.length}
      totalCount={listing.state.value === 'complete' ? entries.length : undefined}
      active={active.value}
      cardHeight={isPhone.value ? cardHeight : undefined}
      rowId={(row) => names[row] ?? ''}
      isSelected={(row) => (row === -1 ? selected.size >= names.length : selected.has(names[row] ?? ''))}
      hasSelection={selected.size > 0}
      isOpen={(row) => openName !== undefined && names[row] === openName}
      header={(column) => <FileColumnHead column={column} onSort={() => sortBy(column.id)} />}
      rowState={(row) => [entries[row], actions.canMove]}
      cell={(row, { id }) => cellOf(entries[row], id, actions)}
      card={(row) => <FileCard drive={drive} entry={entries[row]} />}
      onActive={(place) => {
        active.value = place;
      }}
      onSelect={(row, isRange) => {
        if (row >= 0) selection.toggle(row, names, isRange);
        else if (selected.size > 0) selection.clear();
        else selection.toggleAll(names);
      }}
      onExtend={(from, to) => selection.extend(from, to, names)}
      onKey={(event, { row }) => {
        if (actions.onKey(event, entries[row])) event.preventDefault();
      }}
      onOpen={open}
      onNearEnd={() => void listing.more()}
    />
  );
}

function sortOf(order: string, id: string): GridColumn['sort'] {
  if (order === `-${id}`) return 'descending';
  return order === id || (order === '' && id === 'name') ? 'ascending' : undefined;
}

function FileColumnHead({ column: { id, sort }, onSort }: { readonly column: GridColumn; onSort(): void }) {
  const column = columns.find((one) => one.id === id);
  if (column?.isOrder !== true) return <span class="column-head plain-head">{column?.label}</span>;
  return (
    <button type="button" class="column-head" tabIndex={-1} onClick={onSort}>
      <span class="clip">{column.label}</span>
      {sort !== undefined && <Icon name={sort === 'ascending' ? 'arrow-up' : 'arrow-down'} size={14} />}
    </button>
  );
}

function cellOf(entry: Entry | undefined, column: string, actions: EntryActions): GridCell {
  if (entry === undefined) return { content: null };
  const { file } = entry;
  switch (column) {
    case 'name':
      return { content: <EntryName entry={entry} actions={actions} /> };
    case 'size':
      return {
        content:
          file === undefined ? (
            <FolderSize drive={actions.drive} folder={entry.name} />
          ) : (
            formatBytes(file.size)
          ),
      };
    case 'content_type':
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
  readonly actions: EntryActions;
}

function EntryName({ entry, actions }: EntryNameProps) {
  const isFolder = entry.file === undefined;
  return (
    <div role="none" class="file-name" {...actions.dragProps(entry)}>
      <EntryIcon entry={entry} />
      <EntryOpener entry={entry} onOpen={actions.onOpen} />
      {isFolder && <PublicMark drive={actions.drive} name={entry.name} />}
    </div>
  );
}

function FileCard({ drive, entry }: { readonly drive: string; readonly entry: Entry | undefined }) {
  if (entry === undefined) return null;
  const { file, label } = entry;
  return (
    <>
      <div class="card-key row">
        <EntryIcon entry={entry} />
        <span class="clip" dir={directionOf(entry.below + label)}>
          {visible(entry.below + label)}
        </span>
        {file === undefined && <PublicMark drive={drive} name={entry.name} />}
      </div>
      <div class="meta">
        {file === undefined ? 'Folder' : `${formatBytes(file.size)} · ${formatTime(file.modified)}`}
      </div>
    </>
  );
}
