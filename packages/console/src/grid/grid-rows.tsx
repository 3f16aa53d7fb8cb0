import type { RefObject } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { areaAt, areaInRow, areaOf, fillArea } from './cell-range.js';
import type { Drop } from './drag-column.js';
import { pointerEvents } from './grid-pointer.js';
import type { GridColumn, GridProps } from './grid-props.js';
import { bodyRow, headRow, type RowContext } from './grid-row.js';
import { KeptRow } from './kept-row.js';
import type { Place } from './move.js';
import type { Viewport } from './use-viewport.js';

/** Rows are placed from the last multiple of this many pixels on: browsers round places beyond 2^24 pixels. */
const originStep = 1_000_000;

interface GridRowsProps {
  readonly grid: GridProps;
  readonly id: string;
  readonly columns: readonly GridColumn[];
  readonly view: Viewport;
  readonly height: number;
  readonly headHeight: number;
  /** The width of all columns; undefined for cards. */
  readonly width: number | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** The head and the rows of a grid that are drawn. A row that stays in view is not drawn again while it is scrolled. */
export function GridRows({ grid, id, columns, view, height, headHeight, width, scroller }: GridRowsProps) {
  const [fillTo, setFillTo] = useState<Place>();
  const [drop, setDrop] = useState<Drop>();
  const { rows, columns: shown, shift, body } = view;
  const isCards = width === undefined;
  const origin = Math.floor((rows.from * height) / originStep) * originStep;
  const area = grid.range === undefined || isCards ? undefined : areaOf(grid.range);
  const source = area ?? areaAt(grid.active);
  const filled = fillTo === undefined ? undefined : fillArea(source, fillTo);
  const handle =
    grid.onFill === undefined || grid.active.row < 0
      ? undefined
      : { row: source.bottom, column: source.right };
  const context: RowContext = {
    grid,
    id,
    columns,
    shown,
    height,
    origin,
    isCards,
    area,
    filled,
    handle,
    drop,
  };

  const head = useMemo(() => headRow(context), [grid, columns, shown.from, shown.to, shown.before, drop]);

  const bodyRows = Array.from({ length: rows.to - rows.from }, (_, at) => rows.from + at).map((row) => {
    const marks = [areaInRow(area, row), areaInRow(filled, row), handle?.row === row && handle.column];
    const activeColumn = grid.active.row === row ? grid.active.column : undefined;
    const place = [row, origin, height, columns, shown.from, shown.to, shown.before];
    const state = [activeColumn, grid.isSelected(row), grid.isOpen(row), ...grid.rowState(row)];
    const parts = [...place, ...marks, ...state];
    return <KeptRow key={grid.rowId(row)} parts={parts} make={() => bodyRow(context, row)} />;
  });

  const shows = { onFilling: setFillTo, onDrop: setDrop };
  const events = pointerEvents({ grid, isCards, headHeight, scroller: scroller.current, ...shows });
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
