import type { GridColumn, GridProps } from './grid-props.js';
import { type GridSize, moveBy, type Place } from './move.js';

interface KeyContext {
  readonly grid: GridProps;
  readonly columns: readonly GridColumn[];
  readonly size: GridSize;
  readonly isCards: boolean;
  /** Scrolls so that a cell is in view. */
  reveal(place: Place): void;
}

/** Pixels by which a key changes the width of a column. */
const resizeStep = 16;

/** Does what a key says in a grid: moves, selects, opens, and changes columns; the rest is left to the owner of the grid. */
export function onGridKey(event: KeyboardEvent, context: KeyContext): void {
  const { grid } = context;
  if (onHeadKey(event, context) || onCellKey(event, context)) event.preventDefault();
  else grid.onKey?.(event, grid.active);
}

/** On the head of a column, Shift and an arrow key change its width, Ctrl Shift its place. Gives whether it did. */
function onHeadKey(event: KeyboardEvent, { grid, columns, reveal }: KeyContext): boolean {
  const { active } = grid;
  const column = columns[active.column];
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (active.row !== -1 || !event.shiftKey || step === undefined || column === undefined) return false;
  const to = active.column + step;
  if (!event.ctrlKey && !event.metaKey) grid.onResize?.(column, column.width + step * resizeStep);
  else if (active.column > 0 && to > 0 && to < columns.length) {
    grid.onMove?.(column.id, columns[step === 1 ? to + 1 : to]?.id);
    grid.onActive({ row: -1, column: to });
    reveal({ row: -1, column: to });
  }
  return true;
}

/** Moves, selects or opens. Gives whether it did. */
function onCellKey(event: KeyboardEvent, context: KeyContext): boolean {
  const { grid, size } = context;
  const { active } = grid;
  const from = (event.shiftKey && active.row >= 0 && grid.range?.head) || active;
  const to = moveBy(event, from, size);
  if (to !== undefined) move(event, to, context);
  else if (event.key === ' ') grid.onSelect(active.row, event.shiftKey);
  else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) grid.onOpen(active);
  else return false;
  return true;
}

/** Moves the active cell, or with Shift the end of what is selected from it. */
function move(event: KeyboardEvent, to: Place, { grid, isCards, reveal }: KeyContext): void {
  const { active } = grid;
  const isRange = event.shiftKey && to.row >= 0 && active.row >= 0;
  if (isRange && grid.onRange !== undefined && !isCards) {
    grid.onRange({ anchor: active, head: to });
  } else {
    if (isRange) grid.onExtend?.(active.row, to.row);
    grid.onActive(to);
  }
  reveal(to);
}
