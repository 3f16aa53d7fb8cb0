import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { boxOf, cellId, placeOf } from './grid-cell-id.js';
import type { GridColumn, GridProps } from './grid-props.js';
import { KeptRow } from './kept-row.js';
import { ResizeHandle } from './resize-handle.js';
import type { Viewport } from './use-viewport.js';

/** Rows are placed from the last multiple of so many pixels on: browsers round places beyond 2^24 pixels. */
const originStep = 1_000_000;

interface GridRowsProps {
  readonly grid: GridProps;
  readonly id: string;
  readonly columns: readonly GridColumn[];
  readonly view: Viewport;
  readonly height: number;
  /** The width of all columns; undefined for cards. */
  readonly width: number | undefined;
  onFocus(): void;
}

/** The head and the rows of a grid that are drawn. A row that stays in view is not drawn again while it is scrolled. */
export function GridRows({ grid, id, columns, view, height, width, onFocus }: GridRowsProps) {
  const { active, rowCount } = grid;
  const { rows, columns: shown, shift, body } = view;
  const isCards = width === undefined;
  const pinned = columns[0];
  const origin = Math.floor((rows.from * height) / originStep) * originStep;

  const isActive = (row: number, at: number) => active.row === row && active.column === at;
  const idOf = (row: number, at: number) => (isActive(row, at) ? cellId(id, active) : undefined);
  const classOf = (row: number, at: number, more?: string) =>
    ['cell', at === 0 && 'pinned', isActive(row, at) && 'active', more].filter(Boolean).join(' ');

  /** The pinned cell, the room of those that are not drawn, and those in view. */
  const cells = (one: (column: GridColumn, at: number) => VNode) => (
    <>
      {pinned !== undefined && one(pinned, 0)}
      {shown.before > 0 && <div class="columns-before" role="none" style={{ width: `${shown.before}px` }} />}
      {columns.slice(shown.from + 1, shown.to + 1).map((column, at) => one(column, shown.from + 1 + at))}
    </>
  );

  const headCell = (column: GridColumn, at: number) => (
    <div
      key={column.id}
      id={idOf(-1, at)}
      class={classOf(-1, at)}
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

  const cell = (row: number) => (column: GridColumn, at: number) => {
    const { content, class: more, title } = grid.cell(row, column);
    return (
      <div
        key={column.id}
        id={idOf(row, at)}
        class={classOf(row, at, more)}
        style={{ width: `${column.width}px` }}
        role="gridcell"
        aria-colindex={at + 2}
        title={title}
      >
        {content}
      </div>
    );
  };

  const isChecked = (row: number) => (row >= 0 || rowCount > 0) && grid.isSelected(row);

  const box = (row: number) => (
    <div role={row === -1 ? 'columnheader' : 'gridcell'} aria-colindex={1} class="cell box">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={row === -1 ? 'Select all rows that are loaded' : `Select ${grid.rowId(row)}`}
        checked={isChecked(row)}
        indeterminate={row === -1 && grid.hasSelection && !isChecked(row)}
      />
    </div>
  );

  const bodyRow = (row: number) => (
    <div
      role="row"
      class="grid-row"
      aria-current={grid.isOpen(row) ? 'true' : undefined}
      aria-rowindex={row + 2}
      aria-selected={grid.isSelected(row)}
      data-row={row}
      style={{ top: `${row * height - origin}px`, height: `${height}px` }}
    >
      {box(row)}
      {isCards ? (
        <div
          role="gridcell"
          id={cellId(id, { row, column: 0 })}
          aria-colindex={2}
          class={active.row === row ? 'card active' : 'card'}
        >
          {grid.card?.(row)}
        </div>
      ) : (
        cells(cell(row))
      )}
      {grid.note?.(row) !== undefined && (
        <div role="gridcell" aria-colindex={columns.length + 2} class="row-note">
          {grid.note(row)}
        </div>
      )}
    </div>
  );

  const head = useMemo(
    () => (
      <div role="row" class="grid-row" aria-rowindex={1} data-row={-1}>
        {box(-1)}
        {cells(headCell)}
      </div>
    ),
    [grid, columns, shown.from, shown.to, shown.before],
  );

  const bodyRows = Array.from({ length: rows.to - rows.from }, (_, at) => rows.from + at).map((row) => {
    const activeColumn = active.row === row ? active.column : undefined;
    const place = [row, origin, height, columns, shown.from, shown.to, shown.before];
    const parts = [...place, activeColumn, grid.isSelected(row), grid.isOpen(row), ...grid.rowState(row)];
    return <KeptRow key={grid.rowId(row)} parts={parts} make={() => bodyRow(row)} />;
  });

  /** Events are handled here and not at each cell: rows come and go. */
  const events = {
    onMouseDown(event: MouseEvent) {
      const place = placeOf(event);
      if (place === undefined) return;
      if (place.row >= 0 && !isCards && (event.shiftKey || event.ctrlKey || event.metaKey)) {
        // The browser would select text, and Ctrl opens a menu on a Mac.
        event.preventDefault();
        onFocus();
        if (event.shiftKey) grid.onExtend?.(Math.max(0, active.row), place.row);
        else grid.onSelect(place.row, false);
      }
      if (!isCards) grid.onActive(place);
    },
    onDblClick(event: MouseEvent) {
      const place = placeOf(event);
      if (place !== undefined && !isCards) grid.onOpen(place);
    },
    onClick(event: MouseEvent) {
      const row = boxOf(event);
      const place = placeOf(event);
      if (row !== undefined) {
        grid.onSelect(row, event.shiftKey);
        onFocus();
      } else if (isCards && place !== undefined) {
        grid.onActive(place);
        grid.onOpen(place);
      }
    },
  };
  const style = { width: isCards ? '100%' : `${width}px` };

  return (
    <>
      {!isCards && (
        <div role="rowgroup" class="grid-head" style={style} {...events}>
          {head}
        </div>
      )}
      <div
        role="rowgroup"
        class="grid-body"
        style={{ ...style, transform: `translateY(${origin + shift}px)` }}
        {...events}
      >
        {bodyRows}
      </div>
      <div role="none" class="grid-height" style={{ ...style, height: `${body.height}px` }} />
    </>
  );
}
