import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { type CellRange, clampRange } from '../../grid/cell-range.js';
import { Grid } from '../../grid/grid.js';
import type { GridPlace } from '../../grid/grid-props.js';
import type { Place } from '../../grid/move.js';
import type { Selection } from '../../grid/selection.js';
import { keptPlace, route, stepTo } from '../../router.js';
import { isPhone } from '../../ui/media.js';
import type { BaseProps } from '../actions.js';
import { cellCommands } from '../cells/cell-commands.js';
import type { Listing } from '../listing/listing.js';
import { rowOfKey } from '../listing/rows.js';
import { nextOrder } from '../order.js';
import { Card } from './card.js';
import { ColumnHead } from './column-head.js';
import { fittingWidth } from './columns.js';
import { cardNames, gridColumns } from './grid-columns.js';
import { isNumeric, itemCell } from './item-cell.js';
import { onItemKey } from './item-keys.js';
import { giveWidth } from './layout.js';
import { useColumnMoves } from './use-column-moves.js';
import { useEditing } from './use-editing.js';
import { usePlace } from './use-place.js';

const cardHeight = 124;
/** Rows whose values a column is fitted to. */
const fittedRows = 2000;

/** The items as a table: a column for each attribute that one of them has. Cells are edited in place. */
export function ItemGrid({ view, actions }: BaseProps) {
  const { base, listing, isWaiting, cells, selection, range } = view;
  const { openItem: onOpenItem, deleteSelected: onDelete } = actions;
  const { columns, staged } = cells;
  const { order: asked = '', item: openKey } = route.value.parameters;
  const active = useActive(listing, range);
  const { place, onPlace } = usePlace({ listing, isWaiting, active, selection });
  const rows = listing.rows.value;
  const revealed = useOpenRow(listing, active, openKey);
  const commands = cellCommands({ cells, active, range });
  const { edit, editor } = useEditing({ cells, active, setAll: commands.setAll, onOpenItem });
  const keyAt = (row: number) => rows.keys.at(row) ?? '';
  const sortBy = (name: string) => stepTo({ order: nextOrder(asked, name) });
  const byName = new Map(columns.map((column) => [column.name, column]));
  const selected = useSelected(selection);
  const unmatched = listing.unmatched.value;
  const elsewhere = listing.elsewhere.value;
  const noteOf = (row: number) =>
    unmatched.has(keyAt(row)) ? 'no longer matches' : elsewhere.get(keyAt(row));
  const forms = JSON.stringify([columns.filter(isNumeric).map(({ name }) => name), [...cells.dates]]);
  const { order } = view.shownParameters;
  const names = cardNames(columns, order);
  const { onMove, status } = useColumnMoves(base, columns, view.columns.shown);
  const size = { rows: rows.span, columns: columns.length };

  return (
    <>
      <Grid
        label={`Items of ${base}`}
        isBusy={isWaiting}
        columns={gridColumns(base, cells, order)}
        rowCount={rows.span}
        totalCount={listing.total.value}
        active={active.value}
        place={place}
        revealed={revealed}
        onPlace={onPlace}
        cardHeight={isPhone.value ? cardHeight : undefined}
        // A row that is not read has no key yet. No key begins with U+0000.
        rowId={(row) => rows.keys.at(row) ?? `\0row ${row + 1}`}
        isSelected={(row) => selected.has(row === -1 ? undefined : keyAt(row), rows.length)}
        hasSelection={selected.isAny}
        header={({ id, sort }) => {
          const column = byName.get(id);
          const isDate = cells.dates.has(id);
          return column && <ColumnHead {...{ column, sort, isDate }} onSort={() => sortBy(id)} />;
        }}
        isOpen={(row) => openKey !== undefined && keyAt(row) === openKey}
        note={noteOf}
        rowState={(row) => [rows.at(row), staged.items.value.get(keyAt(row)), noteOf(row), forms]}
        cell={(row, { id }) => itemCell(cells, row, byName.get(id), onOpenItem)}
        card={(row) => <Card itemKey={keyAt(row)} row={rows.at(row)} names={names} dates={cells.dates} />}
        range={range.value === undefined ? undefined : clampRange(range.value, size)}
        onRange={(next) => {
          active.value = next.anchor;
          range.value = isOnePlace(next) ? undefined : next;
        }}
        onFill={mayWrite.value ? commands.fill : undefined}
        onActive={(next) => {
          active.value = next;
          range.value = undefined;
        }}
        onSelect={(row, isRange) => {
          if (row >= 0) selection.toggle(row, rows.keys, isRange);
          else if (selected.isAny) selection.clear();
          else selection.toggleAll(rows.keys);
        }}
        onOpen={(at) => {
          if (at.row === -1) sortBy(columns[at.column]?.name ?? '');
          else if (isPhone.value) onOpenItem(keyAt(at.row));
          else edit(at);
        }}
        onKey={(event, at) =>
          onItemKey(event, at, { cells, range, selection, commands, edit, onOpenItem, onDelete })
        }
        onClipboard={commands.onClipboard}
        onView={listing.view}
        onMove={onMove}
        onResize={({ id }, width) =>
          giveWidth(base, id, width === 'fit' ? fittingWidth(id, rows.sample(fittedRows)) : width)
        }
      />
      {editor}
      {status}
    </>
  );
}

function isOnePlace({ anchor, head }: CellRange): boolean {
  return anchor.row === head.row && anchor.column === head.column;
}

/** The active cell. Another query or order begins at its start, or where somebody was before. */
function useActive({ request }: Listing, range: Signal<CellRange | undefined>): Signal<Place> {
  const active = useSignal<Place>(keptPlace()?.cell ?? { row: 0, column: 0 });
  const shown = useRef(request);
  useEffect(() => {
    if (shown.current === request) return;
    shown.current = request;
    active.value = keptPlace()?.cell ?? { ...active.peek(), row: Math.min(0, active.peek().row) };
    range.value = undefined;
  }, [request]);
  return active;
}

/** The row of an item that is opened from elsewhere, as its next one is: it becomes the active one, and comes into view. */
function useOpenRow(
  { rows }: Listing,
  active: Signal<Place>,
  openKey: string | undefined,
): GridPlace | undefined {
  const [place, setPlace] = useState<GridPlace>();
  const before = useRef(openKey);
  useEffect(() => {
    if (before.current === openKey) return;
    const wasOpen = before.current !== undefined;
    before.current = openKey;
    const row = openKey === undefined || !wasOpen ? undefined : rowOfKey(rows.peek(), openKey);
    if (row === undefined) return;
    active.value = { ...active.peek(), row };
    setPlace({ row });
  }, [openKey]);
  return place;
}

/** Which rows are selected. Without a key: whether all that are loaded are. */
function useSelected(selection: Selection) {
  const keys = selection.keys.value;
  const isAll = selection.isAll.value;
  return {
    isAny: isAll || keys.size > 0,
    has: (key: string | undefined, loaded: number) =>
      isAll || (key === undefined ? keys.size >= loaded : keys.has(key)),
  };
}
