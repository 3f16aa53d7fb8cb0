import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { moveBy } from '../../../grid/move.js';
import { useViewport } from '../../../grid/use-viewport.js';
import { type FolderViewProps, useEntryActions } from '../entry-actions.js';
import { Tile } from './tile.js';

/** Pixels of a tile with the room around it; it gets wider until the tiles fill a row. */
const minWidth = 168;
const height = 176;
/** Rows before the end at which more entries are asked for. */
const nearEnd = 40;

/** The files and folders of a folder as tiles: an ARIA grid with one Tab stop and arrow keys within it. */
export function FolderTiles(props: FolderViewProps) {
  const { label, entries, isComplete, selection, openName, onNearEnd } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const perRow = Math.max(1, Math.floor(useWidth(scroller) / minWidth));
  const rowCount = Math.ceil(entries.length / perRow);
  const view = useViewport(scroller, {
    rowCount,
    rowHeight: height,
    headHeight: 0,
    widths: [],
    pinnedWidth: 0,
  });
  const { rows, viewHeight, shift, body } = view;
  const active = useSignal(0);
  const names = useMemo(() => entries.map(({ name }) => name), [entries]);
  const selected = selection.keys.value;
  const actions = useEntryActions(props);

  useEffect(() => {
    if (viewHeight > 0 && rows.to + nearEnd >= rowCount) onNearEnd();
  }, [rows.to, rowCount, viewHeight]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== scroller.current) return;
    const at = active.value;
    const to = tileAfter(event, at, {
      count: entries.length,
      perRow,
      page: Math.max(1, Math.floor(viewHeight / height)),
    });
    const entry = entries[at];
    if (to !== undefined) {
      if (event.shiftKey) selection.extend(at, to, names);
      active.value = to;
      view.reveal(Math.floor(to / perRow) * height, height);
    } else if (event.key === ' ') selection.toggle(at, names, event.shiftKey);
    else if (event.key === 'Enter' && entry !== undefined) actions.onOpen(entry);
    else if (!actions.onKey(event, entry)) return;
    event.preventDefault();
  }

  function onMouseDown(event: MouseEvent, at: number): void {
    // The box does what is done with it when it is clicked.
    if (!isBox(event) && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      // The browser would select text, and Ctrl opens a menu on a Mac.
      event.preventDefault();
      scroller.current?.focus();
      if (event.shiftKey) selection.extend(active.value, at, names);
      else selection.toggle(at, names, false);
    }
    active.value = at;
  }

  const tile = (at: number) => {
    const entry = entries[at];
    if (entry === undefined) return null;
    return (
      <div
        key={entry.name}
        id={`${id}:${at}`}
        role="gridcell"
        aria-colindex={(at % perRow) + 1}
        aria-selected={selected.has(entry.name)}
        class={at === active.value ? 'tile active' : 'tile'}
        aria-current={entry.name === openName ? 'true' : undefined}
        onMouseDown={(event) => onMouseDown(event, at)}
        onDblClick={(event) => {
          if (!isBox(event)) actions.onOpen(entry);
        }}
      >
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${entry.name}`}
          checked={selected.has(entry.name)}
          onClick={(event) => {
            selection.toggle(at, names, event.shiftKey);
            scroller.current?.focus();
          }}
        />
        <Tile entry={entry} actions={actions} />
      </div>
    );
  };
  const shown = Array.from({ length: rows.to - rows.from }, (_, at) => rows.from + at);
  const isDrawn =
    Math.floor(active.value / perRow) >= rows.from && Math.floor(active.value / perRow) < rows.to;
  return (
    <div
      ref={scroller}
      class="grid tiles"
      role="grid"
      aria-label={label}
      aria-rowcount={isComplete ? rowCount : -1}
      aria-colcount={perRow}
      aria-multiselectable="true"
      aria-activedescendant={isDrawn ? `${id}:${active.value}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" class="tiles-body" style={{ transform: `translateY(${shift}px)` }}>
        {shown.map((row) => (
          <div
            key={row}
            role="row"
            class="tiles-row"
            aria-rowindex={row + 1}
            style={{ top: `${row * height}px`, gridTemplateColumns: `repeat(${perRow}, minmax(0, 1fr))` }}
          >
            {Array.from({ length: perRow }, (_, column) => tile(row * perRow + column))}
          </div>
        ))}
      </div>
      <div role="none" class="grid-height" style={{ height: `${body.height}px` }} />
    </div>
  );
}

/** Whether an event is of the box that selects a tile. */
function isBox({ target }: Event): boolean {
  return target instanceof HTMLInputElement;
}

interface TilesSize {
  readonly count: number;
  readonly perRow: number;
  /** Rows that fit in the view. */
  readonly page: number;
}

/** The tile that a key leads to; undefined for another key. To the left and right it goes through all rows. */
function tileAfter(event: KeyboardEvent, at: number, { count, perRow, page }: TilesSize): number | undefined {
  const toEdge = event.ctrlKey || event.metaKey;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step !== undefined && !toEdge) return Math.max(0, Math.min(count - 1, at + step));
  const place = { row: Math.floor(at / perRow), column: at % perRow };
  const to = moveBy(event, place, { rows: Math.ceil(count / perRow), columns: perRow, page });
  return to === undefined ? undefined : Math.min(count - 1, Math.max(0, to.row) * perRow + to.column);
}

/** The width of an element, which is followed. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current);
    setWidth(element.current.clientWidth);
    return () => observer.disconnect();
  }, []);
  return width;
}
