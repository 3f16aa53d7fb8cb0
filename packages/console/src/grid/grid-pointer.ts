import { areaAt, areaOf, fillArea } from './cell-range.js';
import { type Drop, dragColumn } from './drag-column.js';
import { followPointer } from './follow-pointer.js';
import { boxOf, placeOf } from './grid-cell-id.js';
import type { GridProps } from './grid-props.js';
import type { Place } from './move.js';

interface Pointed {
  readonly grid: GridProps;
  readonly isCards: boolean;
  readonly headHeight: number;
  readonly scroller: HTMLElement | null;
  /** Shows which cells the handle would fill. */
  onFilling(to: Place | undefined): void;
  /** Shows where a column would be dropped. */
  onDrop(drop: Drop | undefined): void;
}

/** What the pointer does on the rows. Events are handled here and not at each cell: rows come and go. */
export function pointerEvents(pointed: Pointed) {
  const { grid, isCards, scroller } = pointed;
  return {
    onMouseDown(event: MouseEvent) {
      const place = placeOf(event);
      if (place === undefined || event.button !== 0) return;
      if (!isCards && place.row >= 0) press(pointed, place, event);
      else if (!isCards) pressHead(pointed, place, event);
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
        scroller?.focus();
      } else if (isCards && place !== undefined) {
        grid.onActive(place);
        grid.onOpen(place);
      }
    },
  };
}

/** The button went down on the head of a column, which may be dragged elsewhere. */
function pressHead({ grid, scroller, onDrop }: Pointed, place: Place, event: MouseEvent): void {
  event.preventDefault();
  scroller?.focus();
  grid.onActive(place);
  const column = grid.columns[place.column];
  if (scroller === null || column === undefined || place.column === 0 || grid.onMove === undefined) return;
  dragColumn(scroller, event, {
    columns: grid.columns,
    from: place.column,
    onDrop,
    onEnd(drop) {
      onDrop(undefined);
      if (drop !== undefined) grid.onMove?.(column.id, drop.before);
    },
  });
}

/** The button went down on a cell: it becomes the active one, a range begins or ends there, or its row is selected. */
function press(pointed: Pointed, place: Place, event: MouseEvent): void {
  const { grid, scroller } = pointed;
  const isToggle = (event.ctrlKey || event.metaKey) && !event.shiftKey;
  if (grid.onRange !== undefined || event.shiftKey || isToggle) {
    // The browser would select text, and Ctrl opens a menu on a Mac.
    event.preventDefault();
    scroller?.focus();
  }
  if (isFillHandle(event)) dragHandle(pointed);
  else if (grid.onRange !== undefined && !isToggle) pressCell(pointed, place, event.shiftKey);
  else {
    if (isToggle) grid.onSelect(place.row, false);
    else if (event.shiftKey) grid.onExtend?.(Math.max(0, grid.active.row), place.row);
    grid.onActive(place);
  }
}

/** Begins a range at a cell, or with Shift ends the present one there. */
function pressCell(pointed: Pointed, place: Place, isShift: boolean): void {
  const { grid } = pointed;
  const isRange = isShift && grid.active.row >= 0;
  const anchor = isRange ? grid.active : place;
  if (isRange) grid.onRange?.({ anchor, head: place });
  else grid.onActive(place);
  dragRange(pointed, anchor, place);
}

function dragRange({ grid, scroller, headHeight }: Pointed, anchor: Place, from: Place): void {
  if (scroller === null) return;
  let head = from;
  followPointer(scroller, {
    headHeight,
    onPlace(to) {
      if (to.row === head.row && to.column === head.column) return;
      head = to;
      grid.onRange?.({ anchor, head });
    },
    onEnd() {},
  });
}

function dragHandle({ grid, scroller, headHeight, onFilling }: Pointed): void {
  if (scroller === null) return;
  const source = grid.range === undefined ? areaAt(grid.active) : areaOf(grid.range);
  let last: Place | undefined;
  followPointer(scroller, {
    headHeight,
    onPlace(to) {
      last = to;
      onFilling(to);
    },
    onEnd({ ctrlKey, metaKey }) {
      onFilling(undefined);
      if (last !== undefined) grid.onFill?.(source, fillArea(source, last), ctrlKey || metaKey);
    },
  });
}

const isFillHandle = ({ target }: Event) => target instanceof Element && target.matches('.fill-handle');
