import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { moveBy } from '../../../grid/move.js';
import type { Selection } from '../../../grid/selection.js';
import { useViewport } from '../../../grid/use-viewport.js';
import type { Entry } from '../../entry.js';
import { type EntryActions, type FolderViewProps, useEntryActions } from '../entry-actions.js';
import { Tile } from './tile.js';

/** Pixels of a tile with the room around it; it gets wider until the tiles fill a row. */
const minWidth = 168;
const height = 176;
const layout = { rowHeight: height, headHeight: 0, widths: [], pinnedWidth: 0 };
/** Rows before the end at which more entries are asked for. */
const nearEnd = 40;

/** The files and folders of a folder as tiles: an ARIA grid with one Tab stop and arrow keys within it. */
export function FolderTiles({ view, openName }: FolderViewProps) {
  const { listing, entries, selection } = view.open;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const perRow = Math.max(1, Math.floor(useWidth(scroller) / minWidth));
  const rowCount = Math.ceil(entries.length / perRow);
  const viewport = useViewport(scroller, { ...layout, rowCount });
  const { rows, viewHeight, shift, body } = viewport;
  const active = useSignal(0);
  const names = useMemo(() => entries.map(({ name }) => name), [entries]);
  const selected = selection.keys.value;
  const actions = useEntryActions(view);

  useEffect(() => {
    if (viewHeight > 0 && rows.to + nearEnd >= rowCount) void listing.more();
  }, [rows.to, rowCount, viewHeight]);

  const tiles: Tiles = { entries, names, perRow, active, selection };
  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== scroller.current) return;
    const entry = entries[active.value];
    if (moveByKey(event, tiles, viewHeight))
      viewport.reveal(Math.floor(active.value / perRow) * height, height);
    else if (event.key === ' ') selection.toggle(active.value, names, event.shiftKey);
    else if (event.key === 'Enter' && entry !== undefined) actions.onOpen(entry);
    else if (!actions.onKey(event, entry)) return;
    event.preventDefault();
  }

  const tile = (at: number) => {
    const entry = entries[at];
    if (entry === undefined) return null;
    return (
      <Cell
        key={entry.name}
        id={`${id}:${at}`}
        column={at % perRow}
        entry={entry}
        isActive={at === active.value}
        isSelected={selected.has(entry.name)}
        isOpen={entry.name === openName}
        actions={actions}
        onMouseDown={(event) => {
          if (selectByMouse(event, at, tiles)) scroller.current?.focus();
          active.value = at;
        }}
        onToggle={(event) => {
          selection.toggle(at, names, event.shiftKey);
          scroller.current?.focus();
        }}
      />
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
      aria-label={`Files of ${view.drive}/${view.folder}`}
      aria-rowcount={listing.state.value === 'complete' ? rowCount : -1}
      aria-colcount={perRow}
      aria-multiselectable="true"
      aria-activedescendant={isDrawn ? `${id}:${active.value}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" class="tiles-body" style={{ transform: `translateY(${shift}px)` }}>
        {shown.map((row) => (
          <Row key={row} row={row} perRow={perRow} tile={tile} />
        ))}
      </div>
      <div role="none" class="grid-height" style={{ height: `${body.height}px` }} />
    </div>
  );
}

interface RowProps {
  readonly row: number;
  readonly perRow: number;
  readonly tile: (at: number) => ComponentChild;
}

function Row({ row, perRow, tile }: RowProps) {
  const style = { top: `${row * height}px`, gridTemplateColumns: `repeat(${perRow}, minmax(0, 1fr))` };
  return (
    <div role="row" class="tiles-row" aria-rowindex={row + 1} style={style}>
      {Array.from({ length: perRow }, (_, column) => tile(row * perRow + column))}
    </div>
  );
}

interface CellProps {
  readonly id: string;
  readonly column: number;
  readonly entry: Entry;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly actions: EntryActions;
  onMouseDown(event: MouseEvent): void;
  onToggle(event: MouseEvent): void;
}

/** The cell of a tile, with the box that selects it. */
function Cell(props: CellProps) {
  const { id, column, entry, isActive, isSelected, isOpen, actions, onMouseDown, onToggle } = props;
  return (
    <div
      id={id}
      role="gridcell"
      aria-colindex={column + 1}
      aria-selected={isSelected}
      class={isActive ? 'tile active' : 'tile'}
      aria-current={isOpen ? 'true' : undefined}
      onMouseDown={onMouseDown}
      onDblClick={(event) => {
        if (!isBox(event)) actions.onOpen(entry);
      }}
    >
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${entry.name}`}
        checked={isSelected}
        onClick={onToggle}
      />
      <Tile entry={entry} actions={actions} />
    </div>
  );
}

/** Whether an event is of the box that selects a tile. */
function isBox({ target }: Event): boolean {
  return target instanceof HTMLInputElement;
}

interface Tiles {
  readonly entries: readonly Entry[];
  readonly names: readonly string[];
  readonly perRow: number;
  /** The tile that keys begin from. */
  readonly active: Signal<number>;
  readonly selection: Selection;
}

/** Selects with a key held, as files are selected everywhere. Gives whether it did. */
function selectByMouse(event: MouseEvent, at: number, { active, selection, names }: Tiles): boolean {
  // The box does what is done with it when it is clicked.
  if (isBox(event) || !(event.shiftKey || event.ctrlKey || event.metaKey)) return false;
  // The browser would select text, and Ctrl opens a menu on a Mac.
  event.preventDefault();
  if (event.shiftKey) selection.extend(active.value, at, names);
  else selection.toggle(at, names, false);
  return true;
}

/** Goes to the tile that a key leads to. Gives whether it leads to one. To the left and right it goes through all rows. */
function moveByKey(event: KeyboardEvent, tiles: Tiles, viewHeight: number): boolean {
  const { entries, names, perRow, active, selection } = tiles;
  const last = entries.length - 1;
  const at = active.value;
  const toEdge = event.ctrlKey || event.metaKey;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  let to: number;
  if (step !== undefined && !toEdge) to = Math.max(0, Math.min(last, at + step));
  else {
    const place = { row: Math.floor(at / perRow), column: at % perRow };
    const page = Math.max(1, Math.floor(viewHeight / height));
    const next = moveBy(event, place, { rows: Math.ceil(entries.length / perRow), columns: perRow, page });
    if (next === undefined) return false;
    to = Math.min(last, Math.max(0, next.row) * perRow + next.column);
  }
  if (event.shiftKey) selection.extend(at, to, names);
  active.value = to;
  return true;
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
