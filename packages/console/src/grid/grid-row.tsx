import type { VNode } from 'preact';
import { type Area, areaClasses } from './cell-range.js';
import type { Drop } from './drag-column.js';
import { cellId } from './grid-cell-id.js';
import type { GridColumn, GridProps } from './grid-props.js';
import { ResizeHandle } from './resize-handle.js';
import type { Viewport } from './use-viewport.js';

/** What the rows of a grid are drawn from. */
export interface RowContext {
  readonly grid: GridProps;
  readonly id: string;
  readonly columns: readonly GridColumn[];
  /** The columns in view. */
  readonly shown: Viewport['columns'];
  readonly height: number;
  /** The pixel of the content that the places of rows are counted from. */
  readonly origin: number;
  /** Instead of columns, each row is one card. */
  readonly isCards: boolean;
  /** The selected cells, if they are more than one. */
  readonly area: Area | undefined;
  /** The cells that are filled when the handle is let go. */
  readonly filled: Area | undefined;
  /** Where a dragged column would be dropped. */
  readonly drop: Drop | undefined;
  /** The cell that has the handle: the last one of those that are selected. */
  readonly handle: { readonly row: number; readonly column: number } | undefined;
}

/** The head of the columns. */
export function headRow(context: RowContext): VNode {
  return (
    <div role="row" class="grid-row" aria-rowindex={1} data-row={-1}>
      <Box context={context} row={-1} />
      {cells(context, (column, at) => headCell(context, column, at))}
    </div>
  );
}

/** A row, as cells or as a card. */
export function bodyRow(context: RowContext, row: number): VNode {
  const { grid, columns, height, origin, isCards } = context;
  const note = grid.note?.(row);
  return (
    <div
      role="row"
      class="grid-row"
      aria-current={grid.isOpen(row) ? 'true' : undefined}
      aria-rowindex={row + 2}
      aria-selected={grid.isSelected(row)}
      data-row={row}
      style={{ top: `${row * height - origin}px`, height: `${height}px` }}
    >
      <Box context={context} row={row} />
      {isCards ? card(context, row) : cells(context, (column, at) => cell(context, row, column, at))}
      {note !== undefined && (
        <div role="gridcell" aria-colindex={columns.length + 2} class="row-note">
          {note}
        </div>
      )}
    </div>
  );
}

/** The pinned cell, the room of those that are not drawn, and those in view. */
function cells({ columns, shown }: RowContext, one: (column: GridColumn, at: number) => VNode) {
  const pinned = columns[0];
  return (
    <>
      {pinned !== undefined && one(pinned, 0)}
      {shown.before > 0 && <div class="columns-before" role="none" style={{ width: `${shown.before}px` }} />}
      {columns.slice(shown.from + 1, shown.to + 1).map((column, at) => one(column, shown.from + 1 + at))}
    </>
  );
}

function headCell(context: RowContext, column: GridColumn, at: number): VNode {
  const { grid } = context;
  return (
    <div
      key={column.id}
      id={idOf(context, -1, at)}
      class={classOf(context, -1, at, dropMark(context, column, at))}
      style={{ width: `${column.width}px` }}
      role="columnheader"
      aria-colindex={at + 2}
      aria-sort={column.sort}
    >
      {grid.header(column)}
      {grid.onResize !== undefined && (
        <ResizeHandle width={column.width} onResize={(to) => grid.onResize?.(column, to)} />
      )}
    </div>
  );
}

/** The class of the head at which a line shows where a dragged column would be. */
function dropMark({ columns, drop }: RowContext, { id }: GridColumn, at: number): string | undefined {
  if (drop === undefined) return undefined;
  if (drop.before === id) return 'drop-before';
  return drop.before === undefined && at === columns.length - 1 ? 'drop-after' : undefined;
}

function cell(context: RowContext, row: number, column: GridColumn, at: number): VNode {
  const { grid, area, filled, handle } = context;
  const { content, class: more, title, dir } = grid.cell(row, column);
  const place = { row, column: at };
  const inArea = areaClasses(area, place, 'in-range');
  const hasHandle = handle?.row === row && handle.column === at;
  return (
    <div
      key={column.id}
      id={idOf(context, row, at)}
      class={classOf(
        context,
        row,
        at,
        [more, inArea, areaClasses(filled, place, 'in-fill'), hasHandle && 'has-handle']
          .filter(Boolean)
          .join(' '),
      )}
      style={{ width: `${column.width}px` }}
      role="gridcell"
      aria-colindex={at + 2}
      aria-selected={inArea === undefined ? undefined : true}
      title={title}
      dir={dir}
    >
      {content}
      {hasHandle && <span class="fill-handle" aria-hidden="true" />}
    </div>
  );
}

function card({ grid, id }: RowContext, row: number): VNode {
  return (
    <div
      role="gridcell"
      id={cellId(id, { row, column: 0 })}
      aria-colindex={2}
      class={grid.active.row === row ? 'card active' : 'card'}
    >
      {grid.card?.(row)}
    </div>
  );
}

function Box({ context: { grid }, row }: { readonly context: RowContext; readonly row: number }) {
  const isChecked = (row >= 0 || grid.rowCount > 0) && grid.isSelected(row);
  return (
    <div role={row === -1 ? 'columnheader' : 'gridcell'} aria-colindex={1} class="cell box">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={row === -1 ? 'Select all rows that are loaded' : `Select ${grid.rowId(row)}`}
        checked={isChecked}
        indeterminate={row === -1 && grid.hasSelection && !isChecked}
      />
    </div>
  );
}

const isActive = ({ grid: { active } }: RowContext, row: number, at: number) =>
  active.row === row && active.column === at;

const idOf = (context: RowContext, row: number, at: number) =>
  isActive(context, row, at) ? cellId(context.id, context.grid.active) : undefined;

const classOf = (context: RowContext, row: number, at: number, more?: string) =>
  ['cell', at === 0 && 'pinned', isActive(context, row, at) && 'active', more].filter(Boolean).join(' ');
