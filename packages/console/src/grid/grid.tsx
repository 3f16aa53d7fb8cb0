import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { cellId } from './grid-cell-id.js';
import type { GridColumn, GridPlace, GridProps } from './grid-props.js';
import { GridRows } from './grid-rows.js';
import { type GridSize, moveBy, type Place } from './move.js';
import { useViewport } from './use-viewport.js';

const rowHeight = 32;
const headHeight = 32;
const boxWidth = 36;
/** Rows before the end at which more are asked for: more than a second of turning the wheel. Of few rows, the half. */
const nearEnd = 300;
/** Pixels by which a key changes the width of a column. */
const resizeStep = 16;

/** Gives the grid of the screen the focus, after something that was opened over it. */
export function focusGrid(): void {
  document.querySelector<HTMLElement>('[role=grid]')?.focus();
}

/** Moves the active cell of the grid to its first or last row, as Ctrl and an arrow key do. */
export function goToRow(which: 'first' | 'last'): void {
  focusGrid();
  const key = which === 'first' ? 'ArrowUp' : 'ArrowDown';
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: true, bubbles: true }));
}

/**
 * A table of any number of rows as an ARIA grid: one Tab stop, arrow keys within it. Only what is in view is in the
 * document. The first cell of each row is the box that selects it.
 */
export function Grid(props: GridProps) {
  const { label, rowCount, totalCount, active, cardHeight, isBusy = false, onActive } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useSameColumns(props.columns);
  const isCards = cardHeight !== undefined;
  const height = cardHeight ?? rowHeight;
  const pinnedWidth = boxWidth + (columns[0]?.width ?? 0);
  const widths = columns.slice(1).map(({ width }) => width);
  const content = { rowCount, rowHeight: height, headHeight: isCards ? 0 : headHeight, widths, pinnedWidth };
  const view = useViewport(scroller, content, (top) => props.onPlace?.(Math.round(top / height)));
  const { rows, columns: shown, viewHeight } = view;
  const totalWidth = isCards ? undefined : pinnedWidth + widths.reduce((sum, width) => sum + width, 0);

  useEffect(() => {
    if (viewHeight > 0 && rows.to + Math.min(nearEnd, rowCount / 2) >= rowCount) props.onNearEnd?.();
  }, [rows.to, rowCount, viewHeight]);

  useEffect(() => {
    if (viewHeight > 0) props.onView?.(rows.from, rows.to);
  }, [rows.from, rows.to, viewHeight, props.onView]);

  const { place } = props;
  const placed = useRef<GridPlace>(undefined);
  useLayoutEffect(() => {
    if (place === undefined || viewHeight === 0 || placed.current === place) return;
    placed.current = place;
    view.reveal(Math.min(place.row * height, rowCount * height - viewHeight), viewHeight);
  }, [place, viewHeight]);

  const { revealed } = props;
  useLayoutEffect(() => {
    if (revealed !== undefined && viewHeight > 0) view.reveal(revealed.row * height, height);
  }, [revealed]);

  const size: GridSize = {
    rows: rowCount,
    columns: columns.length,
    page: Math.max(1, Math.floor(viewHeight / height) - 1),
  };

  /** Moves the active cell, or with Shift the end of what is selected from it. */
  function move(event: KeyboardEvent, to: Place): void {
    const isRange = event.shiftKey && to.row >= 0 && active.row >= 0;
    if (isRange && props.onRange !== undefined && !isCards) {
      props.onRange({ anchor: active, head: to });
    } else {
      if (isRange) props.onExtend?.(active.row, to.row);
      onActive(to);
    }
    reveal(to);
  }

  /** On the head of a column, Shift and an arrow key change its width, Ctrl Shift its place. Gives whether it did. */
  function onHeadKey(event: KeyboardEvent): boolean {
    const column = columns[active.column];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (active.row !== -1 || !event.shiftKey || step === undefined || column === undefined) return false;
    const to = active.column + step;
    if (!event.ctrlKey && !event.metaKey) props.onResize?.(column, column.width + step * resizeStep);
    else if (active.column > 0 && to > 0 && to < columns.length) {
      props.onMove?.(column.id, columns[step === 1 ? to + 1 : to]?.id);
      onActive({ row: -1, column: to });
      reveal({ row: -1, column: to });
    }
    return true;
  }

  /** Moves, selects or opens. Gives whether it did. */
  function onCellKey(event: KeyboardEvent): boolean {
    const from = (event.shiftKey && active.row >= 0 && props.range?.head) || active;
    const to = moveBy(event, from, size);
    if (to !== undefined) move(event, to);
    else if (event.key === ' ') props.onSelect(active.row, event.shiftKey);
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) props.onOpen(active);
    else return false;
    return true;
  }

  function onKeyDown(event: KeyboardEvent): void {
    // A field within a cell has its keys for itself.
    if (event.target !== scroller.current) return;
    if (onHeadKey(event) || onCellKey(event)) event.preventDefault();
    else props.onKey?.(event, active);
  }

  /** Scrolls so that a cell is in view. */
  function reveal({ row, column }: Place): void {
    const element = scroller.current;
    if (element === null) return;
    view.reveal(Math.max(0, row) * height, row < 0 ? viewHeight : height);
    if (column === 0 || isCards) return;
    const left = widths.slice(0, column - 1).reduce((sum, width) => sum + width, 0);
    const right = left + (widths[column - 1] ?? 0) + pinnedWidth;
    if (left < element.scrollLeft) element.scrollLeft = left;
    else if (right > element.scrollLeft + element.clientWidth)
      element.scrollLeft = right - element.clientWidth;
  }

  function onClipboard(event: ClipboardEvent): void {
    if (event.target === scroller.current) props.onClipboard?.(event);
  }

  const hasColumn =
    isCards || active.column === 0 || (active.column > shown.from && active.column <= shown.to);
  const isDrawn = active.row === -1 || (active.row >= rows.from && active.row < rows.to);
  const activeCell = isCards ? { row: active.row, column: 0 } : active;

  return (
    <div
      ref={scroller}
      class={['grid', isCards && 'cards', view.isAside && 'is-aside', isBusy && 'is-busy']
        .filter(Boolean)
        .join(' ')}
      role="grid"
      aria-label={label}
      aria-busy={isBusy}
      aria-rowcount={totalCount === undefined ? -1 : totalCount + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={isDrawn && hasColumn ? cellId(id, activeCell) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onCopy={onClipboard}
      onCut={onClipboard}
      onPaste={onClipboard}
    >
      <GridRows
        grid={props}
        id={id}
        columns={columns}
        view={view}
        height={height}
        headHeight={headHeight}
        width={totalWidth}
        scroller={scroller}
      />
    </div>
  );
}

/** The columns, as the same list while they are alike: then rows need not be drawn again. */
function useSameColumns(columns: readonly GridColumn[]): readonly GridColumn[] {
  const before = useRef(columns);
  const isSame =
    before.current.length === columns.length &&
    columns.every(({ id, width, sort }, at) => {
      const one = before.current[at];
      return one?.id === id && one.width === width && one.sort === sort;
    });
  if (!isSame) before.current = columns;
  return before.current;
}
