import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { kindOf } from '../../exact/scan.js';
import { focusGrid, Grid } from '../../grid/grid.js';
import type { GridCell, GridColumn } from '../../grid/grid-props.js';
import type { Place } from '../../grid/move.js';
import type { Selection } from '../../grid/selection.js';
import { keptPlace, route, stepTo } from '../../router.js';
import { copyText } from '../../ui/copy.js';
import { countOf } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { isNarrow, isPhone } from '../../ui/media.js';
import { tell } from '../../ui/toast.js';
import { visibleName } from '../../ui/visible.js';
import { CellEditor, type Then } from '../edit/cell-editor.js';
import { draftProblem } from '../edit/item-draft.js';
import { pasteBlock } from '../edit/paste.js';
import type { Staged } from '../edit/staged.js';
import { textOf } from '../edit/text.js';
import type { Listing } from '../listing/listing.js';
import { nextOrder, splitOrder } from '../order.js';
import { Card } from './card.js';
import { type Column, expiresName, fittingWidth } from './columns.js';
import { usePlace } from './use-place.js';
import { expiryCell, Glyph, valueCell } from './value.js';
import { givenWidth, giveWidth } from './widths.js';

const cardHeight = 124;
/** The width of the keys at most where there is little room beside them, unless they were given another one. */
const narrowKeyWidth = 160;
/** Rows whose values a column is fitted to. */
const fittedRows = 2000;

interface ItemGridProps {
  readonly base: string;
  readonly listing: Listing;
  /** Whether these rows are shown only until others are read. */
  readonly isWaiting: boolean;
  /** The order of the rows, as the address has it. */
  readonly order: string;
  readonly columns: readonly Column[];
  readonly selection: Selection;
  readonly staged: Staged;
  onOpenItem(key: string): void;
  onDelete(): void;
}

interface Editing {
  readonly place: Place;
  readonly box: DOMRect;
  /** The character with which the user began to type over the value. */
  readonly typed?: string | undefined;
}

const steps: Readonly<Record<Then, readonly [rows: number, columns: number]>> = {
  down: [1, 0],
  right: [0, 1],
  left: [0, -1],
  stay: [0, 0],
};

/** The items as a table: a column for each attribute that one of them has. Cells are edited in place. */
export function ItemGrid(props: ItemGridProps) {
  const { base, listing, isWaiting, order, columns, selection, staged, onOpenItem, onDelete } = props;
  const { order: asked = '', item: openKey } = route.value.parameters;
  const active = useSignal<Place>(keptPlace()?.cell ?? { row: 0, column: 0 });
  const { place, onPlace } = usePlace({ listing, isWaiting, active, selection });
  const editing = useSignal<Editing | undefined>(undefined);
  const rows = listing.rows.value;
  const keyAt = (row: number) => rows.keys.at(row) ?? '';
  // A row that is not read has no key yet. No key begins with U+0000.
  const idAt = (row: number) => rows.keys.at(row) ?? `\0row ${row + 1}`;
  const sorted = splitOrder(order);
  const gridColumns = columns.map(({ name, width }): GridColumn => {
    const sort = sorted.isDescending ? 'descending' : 'ascending';
    return {
      id: name,
      width:
        givenWidth(base, name) ??
        (name === 'key' && isNarrow.value ? Math.min(width, narrowKeyWidth) : width),
      sort: name === sorted.name ? sort : undefined,
    };
  });
  // What a list is sorted by is the first to be seen.
  const cardNames = columns.map(({ name }) => name);
  if (cardNames.includes(sorted.name))
    cardNames.unshift(...cardNames.splice(cardNames.indexOf(sorted.name), 1));
  const sortBy = (name: string) => stepTo({ order: nextOrder(asked, name) });
  const selected = selection.keys.value;
  const isAllSelected = selection.isAll.value;
  const hasSelection = isAllSelected || selected.size > 0;
  const unmatched = listing.unmatched.value;
  const kinds = new Map(columns.map(({ name, kind }) => [name, kind]));
  const noteOf = (row: number) => (unmatched.has(keyAt(row)) ? 'no longer matches' : undefined);

  // Another query or order: it begins at its start, or where somebody was before.
  const shown = useRef(listing.request);
  useEffect(() => {
    if (shown.current === listing.request) return;
    shown.current = listing.request;
    active.value = keptPlace()?.cell ?? { ...active.peek(), row: Math.min(0, active.peek().row) };
  }, [listing.request]);

  /** The value that a cell shows: the staged one, if there is one. */
  function valueAt(row: number, name: string): string | undefined {
    const item = rows.at(row);
    if (item === undefined) return undefined;
    const change = staged.get(item.key, name);
    return change === undefined ? item.attributes.get(name) : change.json;
  }

  /** Whether a column has mostly numbers, and shows them as such. */
  const isNumeric = (name: string) => name !== expiresName && kinds.get(name) === 'number';
  const numericNames = JSON.stringify(columns.map(({ name }) => name).filter(isNumeric));

  function cellAt(row: number, { id }: GridColumn): GridCell {
    const key = rows.keys.at(row);
    if (id === 'key' && key !== undefined) return keyCell(key, onOpenItem);
    if (rows.at(row) === undefined) return { content: <span class="skeleton" /> };
    const json = valueAt(row, id);
    const shown: GridCell =
      json === undefined ? { content: null } : id === expiresName ? expiryCell(json) : valueCell(json);
    const more = [
      staged.get(keyAt(row), id) !== undefined && 'staged',
      isNumeric(id) && json !== undefined && kindOf(json) === 'number' && 'numeric',
    ].filter(Boolean);
    return more.length === 0 ? shown : { ...shown, class: [shown.class, ...more].join(' ') };
  }

  function edit(place: Place, typed?: string) {
    const name = columns[place.column]?.name;
    if (place.row < 0 || name === undefined) return;
    const key = keyAt(place.row);
    const isMistaken = draftProblem(key, staged.items.peek().get(key)) !== undefined;
    if (name === 'key' || isMistaken || !mayWrite.peek())
      return typed === undefined ? onOpenItem(keyAt(place.row)) : undefined;
    const box = document.querySelector('.grid .cell.active')?.getBoundingClientRect();
    if (box !== undefined) editing.value = { place, box, typed };
  }

  function take(json: string, then: Then): void {
    const place = editing.value?.place;
    const row = rows.at(place?.row ?? -1);
    const name = columns[place?.column ?? -1]?.name;
    if (place === undefined || row === undefined || name === undefined) return;
    staged.set(staged.items.peek().get(row.key)?.row ?? row, name, json);
    const [down, right] = steps[then];
    active.value = {
      row: Math.min(rows.span - 1, place.row + down),
      column: Math.max(0, Math.min(columns.length - 1, place.column + right)),
    };
    stopEditing();
  }

  function stopEditing(): void {
    editing.value = undefined;
    focusGrid();
  }

  function onKey(event: KeyboardEvent, place: Place): void {
    const isMod = event.ctrlKey || event.metaKey;
    const row = rows.at(place.row);
    const name = columns[place.column]?.name;
    if (event.key === 'F2') edit(place);
    else if (isMod && event.key === 'Enter' && row !== undefined) onOpenItem(row.key);
    else if (event.key === 'Delete' && hasSelection && mayWrite.peek()) onDelete();
    else if (isMod && event.key === 'c' && row !== undefined && name !== undefined) {
      const json = valueAt(place.row, name);
      if (json !== undefined) void copyText(textOf(json));
    } else if (event.key === 'Escape' && hasSelection) selection.clear();
    else if (isMod && event.key === 'a') selection.toggleAll(rows.keys);
    else if (isTyped(event) && row !== undefined) edit(place, event.key);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <Grid
        label={`Items of ${base}`}
        isBusy={isWaiting}
        columns={gridColumns}
        rowCount={rows.span}
        totalCount={listing.total.value}
        active={active.value}
        place={place}
        onPlace={onPlace}
        cardHeight={isPhone.value ? cardHeight : undefined}
        rowId={idAt}
        isSelected={(row) =>
          isAllSelected || (row === -1 ? selected.size >= rows.length : selected.has(keyAt(row)))
        }
        header={({ id, sort }) => (
          <button
            type="button"
            class={isNumeric(id) ? 'column-head numeric' : 'column-head'}
            tabIndex={-1}
            onClick={() => sortBy(id)}
          >
            <span class="clip">{id === expiresName ? 'expires' : visibleName(id)}</span>
            <Glyph kind={kinds.get(id) ?? 'null'} />
            {sort !== undefined && <Icon name={sort === 'ascending' ? 'arrow-up' : 'arrow-down'} size={14} />}
          </button>
        )}
        hasSelection={hasSelection}
        isOpen={(row) => openKey !== undefined && keyAt(row) === openKey}
        note={noteOf}
        rowState={(row) => [rows.at(row), staged.items.value.get(keyAt(row)), noteOf(row), numericNames]}
        cell={cellAt}
        card={(row) => <Card itemKey={keyAt(row)} row={rows.at(row)} names={cardNames} />}
        onActive={(place) => {
          active.value = place;
        }}
        onSelect={(row, isRange) => {
          if (row >= 0) selection.toggle(row, rows.keys, isRange);
          else if (hasSelection) selection.clear();
          else selection.toggleAll(rows.keys);
        }}
        onExtend={(from, to) => selection.extend(from, to, rows.keys)}
        onOpen={(place) => {
          if (place.row === -1) sortBy(columns[place.column]?.name ?? '');
          else if (isPhone.value) onOpenItem(keyAt(place.row));
          else edit(place);
        }}
        onKey={onKey}
        onPaste={(text) => {
          if (!mayWrite.peek()) return;
          const { row, column } = active.value;
          const names = columns.slice(column).map(({ name }) => name);
          if (row < 0) return;
          const left = pasteBlock(text, { staged, rowAt: (at) => rows.at(row + at), names });
          if (left > 0) tell(`Left out ${countOf(left, 'item')}, whose JSON has a mistake`);
        }}
        onView={listing.view}
        onResize={({ id }, width) =>
          giveWidth(base, id, width === 'fit' ? fittingWidth(id, rows.sample(fittedRows)) : width)
        }
      />
      {editing.value !== undefined && (
        <CellEditor
          key={`${editing.value.place.row}-${editing.value.place.column}`}
          label={`${columns[editing.value.place.column]?.name} of ${keyAt(editing.value.place.row)}`}
          json={valueAt(editing.value.place.row, columns[editing.value.place.column]?.name ?? '')}
          box={editing.value.box}
          typed={editing.value.typed}
          onTake={take}
          onCancel={stopEditing}
        />
      )}
    </>
  );
}

/** Whether a key types a character. `/` and `?` stay what they are anywhere on the page. */
function isTyped({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  return [...key].length === 1 && !'/?'.includes(key) && !ctrlKey && !metaKey && !altKey && !isComposing;
}

function keyCell(key: string, onOpen: (key: string) => void): GridCell {
  const { content, ...cell } = valueCell(JSON.stringify(key));
  const open = (
    <button
      type="button"
      class="open-item"
      tabIndex={-1}
      aria-label="Open the item"
      title="Open"
      onClick={() => onOpen(key)}
    />
  );
  return { ...cell, content: [content, open] };
}
