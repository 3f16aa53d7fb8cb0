import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { rowHeight } from '../ui/rows.js';
import { cellId } from './grid-cell-id.js';
import { onGridKey } from './grid-keys.js';
import type { GridColumn, GridPlace, GridProps } from './grid-props.js';
import { GridRows } from './grid-rows.js';
import type { GridSize, Place } from './move.js';
import { useViewport, type Viewport } from './use-viewport.js';

const boxWidth = 36;
/** Rows before the end at which more are asked for: more than a second of turning the wheel. Of few rows, the half. */
const nearEnd = 300;

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
  const { label, rowCount, totalCount, active, cardHeight, isBusy = false } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useSameColumns(props.columns);
  const isCards = cardHeight !== undefined;
  const headHeight = rowHeight.value;
  const height = cardHeight ?? headHeight;
  const pinnedWidth = boxWidth + (columns[0]?.width ?? 0);
  const widths = columns.slice(1).map(({ width }) => width);
  const content = { rowCount, rowHeight: height, headHeight: isCards ? 0 : headHeight, widths, pinnedWidth };
  const view = useViewport(scroller, content, (top) => props.onPlace?.(Math.round(top / height)));
  const { rows, columns: shown, viewHeight } = view;
  const totalWidth = isCards ? undefined : pinnedWidth + widths.reduce((sum, width) => sum + width, 0);

  useWhatIsSeen(props, view);
  usePlaces(props, view, height);
  const size: GridSize = {
    rows: rowCount,
    columns: columns.length,
    page: Math.max(1, Math.floor(viewHeight / height) - 1),
  };

  const reveal = (place: Place) => {
    view.reveal(Math.max(0, place.row) * height, place.row < 0 ? viewHeight : height);
    if (!isCards) revealColumn(scroller.current, widths, pinnedWidth, place.column);
  };

  function onKeyDown(event: KeyboardEvent): void {
    // A field within a cell has its keys for itself.
    if (event.target === scroller.current) onGridKey(event, { grid: props, columns, size, isCards, reveal });
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

/** Says which rows are in view, and when more are wanted. */
function useWhatIsSeen(
  { rowCount, onNearEnd, onView }: GridProps,
  { rows: { from, to }, viewHeight }: Viewport,
): void {
  useEffect(() => {
    if (viewHeight > 0 && to + Math.min(nearEnd, rowCount / 2) >= rowCount) onNearEnd?.();
  }, [to, rowCount, viewHeight]);
  useEffect(() => {
    if (viewHeight > 0) onView?.(from, to);
  }, [from, to, viewHeight, onView]);
}

/** Scrolls sideways so that a column is in view. The first one always is. */
function revealColumn(
  element: HTMLElement | null,
  widths: readonly number[],
  pinnedWidth: number,
  column: number,
): void {
  if (element === null || column === 0) return;
  const left = widths.slice(0, column - 1).reduce((sum, width) => sum + width, 0);
  const right = left + (widths[column - 1] ?? 0) + pinnedWidth;
  if (left < element.scrollLeft) element.scrollLeft = left;
  else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
}

/** Leads to the rows that are asked for: one to the top of the view, one into it. */
function usePlaces({ place, revealed, rowCount }: GridProps, view: Viewport, height: number): void {
  const { viewHeight } = view;
  const placed = useRef<GridPlace>(undefined);
  useLayoutEffect(() => {
    if (place === undefined || viewHeight === 0 || placed.current === place) return;
    placed.current = place;
    view.reveal(Math.min(place.row * height, rowCount * height - viewHeight), viewHeight);
  }, [place, viewHeight]);
  useLayoutEffect(() => {
    if (revealed !== undefined && viewHeight > 0) view.reveal(revealed.row * height, height);
  }, [revealed]);
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
