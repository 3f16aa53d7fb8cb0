import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type GridSize, moveBy, type Place } from './move.js';
import { ResizeHandle } from './resize-handle.js';
import { bodyFor, columnsInView, roundedTop, rowsInView } from './window.js';

export interface GridColumn {
  /** Stays the same while the column does. */
  readonly id: string;
  readonly width: number;
  readonly sort?: 'ascending' | 'descending' | undefined;
}

export interface GridProps {
  readonly label: string;
  /** The first column stays in view. */
  readonly columns: readonly GridColumn[];
  /** Rows that are there. More may follow: `onNearEnd`. */
  readonly rowCount: number;
  /** The number of all rows, if it is known. */
  readonly totalCount?: number | undefined;
  readonly active: Place;
  /** Instead of columns, each row is one card of this height: for a phone. */
  readonly cardHeight?: number | undefined;
  rowId(row: number): string;
  isSelected(row: number): boolean;
  header(column: GridColumn): ComponentChildren;
  cell(row: number, column: GridColumn): ComponentChildren;
  /** More classes of a cell. */
  cellClass?(row: number, column: GridColumn): string;
  card?(row: number): ComponentChildren;
  onActive(place: Place): void;
  /** Space, a click on the box of a row (with Shift, `isRange`), or a click with Ctrl. Row -1 is the box of all rows. */
  onSelect(row: number, isRange: boolean): void;
  /** An arrow key, or a click, with Shift: the range that ends at the active row goes to another one. */
  onExtend?(from: number, to: number): void;
  /** Enter, or a double click. */
  onOpen(place: Place): void;
  /** Any other key. */
  onKey?(event: KeyboardEvent, place: Place): void;
  /** A text that is pasted on the grid. */
  onPaste?(text: string): void;
  /** The end of the rows that are there comes into view. */
  onNearEnd(): void;
  /** These rows are drawn; `to` is exclusive. */
  onView?(from: number, to: number): void;
  /** A column gets another width, in pixels; `fit` for that of its content. */
  onResize?(column: GridColumn, width: number | 'fit'): void;
}

const rowHeight = 32;

interface Viewport {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

function isEqual(a: Viewport, b: Viewport): boolean {
  return a.top === b.top && a.left === b.left && a.width === b.width && a.height === b.height;
}

/** Gives the grid of the screen the focus, after something that was opened over it. */
export function focusGrid(): void {
  document.querySelector<HTMLElement>('[role=grid]')?.focus();
}

const headHeight = 32;
const boxWidth = 36;
/** Rows before the end at which more are asked for. */
const nearEnd = 60;
/** Pixels by which a key changes the width of a column. */
const resizeStep = 16;

/**
 * A table of any number of rows as an ARIA grid: one Tab stop, arrow keys within it. Only what is in view is in the
 * document. The first cell of each row is the box that selects it.
 */
export function Grid(props: GridProps) {
  const { label, columns, rowCount, totalCount, active, cardHeight, onActive } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  /** The place in the content that is at the top of the view. */
  const shownTop = useRef({ top: 0, scale: 1 });
  const [view, setView] = useState<Viewport>({ top: 0, left: 0, width: 0, height: 0 });
  const height = cardHeight ?? rowHeight;
  const head = cardHeight === undefined ? headHeight : 0;
  const body = bodyFor(rowCount * height, view.height - head);
  const top = view.top * body.scale;
  const rows = rowsInView(top, view.height, height, rowCount);
  /** Where a row is in the body. */
  const topOf = (row: number) => row * height - (body.scale === 1 ? 0 : top - view.top);
  const pinned = columns[0];
  const pinnedWidth = boxWidth + (pinned?.width ?? 0);
  const widths = columns.slice(1).map(({ width }) => width);
  const shown = columnsInView(widths, view.left, Math.max(0, view.width - pinnedWidth));
  const totalWidth =
    cardHeight === undefined ? pinnedWidth + widths.reduce((sum, width) => sum + width, 0) : 0;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    // More rows change what a pixel of scrolling stands for: the rows in view stay.
    if (shownTop.current.scale !== body.scale) element.scrollTop = shownTop.current.top / body.scale;
    const measure = () => {
      shownTop.current = { top: element.scrollTop * body.scale, scale: body.scale };
      const next = {
        top: body.scale === 1 ? roundedTop(element.scrollTop, height) : element.scrollTop,
        left: element.scrollLeft,
        width: element.clientWidth,
        height: element.clientHeight,
      };
      setView((present) => (isEqual(present, next) ? present : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [body.scale, height]);

  useEffect(() => {
    if (view.height > 0 && rows.to + nearEnd >= rowCount) props.onNearEnd();
  }, [rows.to, rowCount, view.height]);

  useEffect(() => {
    if (view.height > 0) props.onView?.(rows.from, rows.to);
  }, [rows.from, rows.to, view.height]);

  const size: GridSize = {
    rows: rowCount,
    columns: columns.length,
    page: Math.max(1, Math.floor((view.height - head) / height) - 1),
  };

  function onKeyDown(event: KeyboardEvent): void {
    // A field within a cell has its keys for itself.
    if (event.target !== scroller.current) return;
    const to = moveBy(event, active, size);
    const column = columns[active.column];
    const resizeBy = { ArrowLeft: -resizeStep, ArrowRight: resizeStep }[event.key];
    if (active.row === -1 && event.shiftKey && resizeBy !== undefined && column !== undefined) {
      event.preventDefault();
      props.onResize?.(column, column.width + resizeBy);
    } else if (to !== undefined) {
      event.preventDefault();
      if (event.shiftKey && to.row >= 0 && active.row >= 0) props.onExtend?.(active.row, to.row);
      onActive(to);
      reveal(to);
    } else if (event.key === ' ') {
      event.preventDefault();
      props.onSelect(active.row, event.shiftKey);
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      props.onOpen(active);
    } else {
      props.onKey?.(event, active);
    }
  }

  /** Scrolls so that a cell is in view. */
  function reveal({ row, column }: Place): void {
    const element = scroller.current;
    if (element === null) return;
    const [from, shownTop] = [row * height, element.scrollTop * body.scale];
    if (row < 0 || from < shownTop) element.scrollTop = Math.max(0, from / body.scale);
    else if (from + height + head > shownTop + element.clientHeight)
      element.scrollTop = Math.ceil((from + height + head - element.clientHeight) / body.scale);
    if (column === 0 || cardHeight !== undefined) return;
    const left = widths.slice(0, column - 1).reduce((sum, width) => sum + width, 0);
    const right = left + (widths[column - 1] ?? 0) + pinnedWidth;
    if (left < element.scrollLeft) element.scrollLeft = left;
    else if (right > element.scrollLeft + element.clientWidth)
      element.scrollLeft = right - element.clientWidth;
  }

  const cellId = ({ row, column }: Place) => `${id}-${row}-${column}`;
  const drawn = (column: number) => column === 0 || (column - 1 >= shown.from && column - 1 < shown.to);
  const isDrawn = active.row === -1 || (active.row >= rows.from && active.row < rows.to);

  function cells(row: number) {
    const place = (column: number) => ({ row, column });
    const one = (column: GridColumn, at: number) => {
      const isActive = active.row === row && active.column === at;
      const names = [
        'cell',
        at === 0 && 'pinned',
        isActive && 'active',
        row >= 0 && props.cellClass?.(row, column),
      ];
      const common = {
        key: column.id,
        id: cellId(place(at)),
        class: names.filter(Boolean).join(' '),
        style: { width: `${column.width}px` },
        'aria-colindex': at + 2,
        onMouseDown: (event: MouseEvent) => {
          if (row >= 0 && (event.shiftKey || event.ctrlKey || event.metaKey)) {
            // The browser would select text, and Ctrl opens a menu on a Mac.
            event.preventDefault();
            scroller.current?.focus();
            if (event.shiftKey) props.onExtend?.(Math.max(0, active.row), row);
            else props.onSelect(row, false);
          }
          onActive(place(at));
        },
        onDblClick: () => props.onOpen(place(at)),
      };
      return row === -1 ? (
        <div {...common} role="columnheader" aria-sort={column.sort}>
          {props.header(column)}
          {props.onResize !== undefined && (
            <ResizeHandle width={column.width} onResize={(width) => props.onResize?.(column, width)} />
          )}
        </div>
      ) : (
        <div {...common} role="gridcell">
          {props.cell(row, column)}
        </div>
      );
    };
    return (
      <>
        {pinned !== undefined && one(pinned, 0)}
        <div class="columns-before" role="none" style={{ width: `${shown.before}px` }} />
        {columns.slice(shown.from + 1, shown.to + 1).map((column, at) => one(column, shown.from + 1 + at))}
      </>
    );
  }

  const box = (row: number) => (
    <div role={row === -1 ? 'columnheader' : 'gridcell'} aria-colindex={1} class="cell box">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={row === -1 ? 'Select all rows that are loaded' : `Select ${props.rowId(row)}`}
        checked={row === -1 ? rowCount > 0 && props.isSelected(-1) : props.isSelected(row)}
        onClick={(event) => {
          props.onSelect(row, event.shiftKey);
          scroller.current?.focus();
        }}
      />
    </div>
  );

  return (
    <div
      ref={scroller}
      class={cardHeight === undefined ? 'grid' : 'grid cards'}
      role="grid"
      aria-label={label}
      aria-rowcount={totalCount === undefined ? -1 : totalCount + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={
        isDrawn && (cardHeight !== undefined || drawn(active.column))
          ? cellId(cardHeight === undefined ? active : { row: active.row, column: 0 })
          : undefined
      }
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        const text = event.clipboardData?.getData('text/plain') ?? '';
        if (event.target !== scroller.current || text === '') return;
        event.preventDefault();
        props.onPaste?.(text);
      }}
    >
      {cardHeight === undefined && (
        <div role="rowgroup" class="grid-head" style={{ width: `${totalWidth}px` }}>
          <div role="row" class="grid-row" aria-rowindex={1}>
            {box(-1)}
            {cells(-1)}
          </div>
        </div>
      )}
      <div
        role="rowgroup"
        class="grid-body"
        style={{ height: `${body.height}px`, width: totalWidth === 0 ? '100%' : `${totalWidth}px` }}
      >
        {Array.from({ length: rows.to - rows.from }, (_, at) => rows.from + at).map((row) => (
          <div
            key={props.rowId(row)}
            role="row"
            class="grid-row"
            aria-rowindex={row + 2}
            aria-selected={props.isSelected(row)}
            style={{ transform: `translateY(${topOf(row)}px)`, height: `${height}px` }}
          >
            {box(row)}
            {cardHeight === undefined ? (
              cells(row)
            ) : (
              <div
                role="gridcell"
                id={cellId({ row, column: 0 })}
                aria-colindex={2}
                class={active.row === row ? 'card active' : 'card'}
                onClick={() => {
                  onActive({ row, column: 0 });
                  props.onOpen({ row, column: 0 });
                }}
              >
                {props.card?.(row)}
              </div>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
