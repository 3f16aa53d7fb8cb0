import { placeOfElement } from './grid-cell-id.js';
import type { Place } from './move.js';

interface Following {
  /** The height of the heads, which stay at the top. */
  readonly headHeight: number;
  /** The pointer is at a cell, or beyond the edge nearest to it. */
  onPlace(place: Place): void;
  /** The button was let go. */
  onEnd(event: MouseEvent): void;
}

/** The part of the distance beyond an edge that is scrolled in each frame. */
const scrollShare = 0.2;
/** How far within the grid a cell is looked for, for a pointer beyond its edge. */
const inset = 4;

/** Follows the pointer over the cells of a grid until its button is let go. Beyond an edge the grid scrolls. */
export function followPointer(scroller: HTMLElement, { headHeight, onPlace, onEnd }: Following): void {
  const ended = new AbortController();
  let point: { readonly x: number; readonly y: number } | undefined;
  let frame = 0;

  function look(): void {
    if (point === undefined) return;
    const { left, top } = scroller.getBoundingClientRect();
    const x = Math.max(left + inset, Math.min(left + scroller.clientWidth - inset, point.x));
    const y = Math.max(top + headHeight + inset, Math.min(top + scroller.clientHeight - inset, point.y));
    const place = placeOfElement(document.elementFromPoint(x, y));
    if (place !== undefined && place.row >= 0) onPlace(place);
  }

  function scroll(): void {
    frame = 0;
    if (point === undefined) return;
    const { left, top } = scroller.getBoundingClientRect();
    const x = beyond(point.x, left, left + scroller.clientWidth);
    const y = beyond(point.y, top + headHeight, top + scroller.clientHeight);
    if (x === 0 && y === 0) return;
    scroller.scrollBy(x * scrollShare, y * scrollShare);
    look();
    frame = requestAnimationFrame(scroll);
  }

  function end(event: MouseEvent): void {
    cancelAnimationFrame(frame);
    ended.abort();
    onEnd(event);
  }

  const { signal } = ended;
  addEventListener(
    'mousemove',
    (event) => {
      // The button was let go outside the window.
      if (event.buttons === 0) return end(event);
      point = { x: event.clientX, y: event.clientY };
      look();
      if (frame === 0) scroll();
    },
    { signal },
  );
  addEventListener('mouseup', end, { signal });
}

/** How far a place is before the start or after the end. */
function beyond(at: number, from: number, to: number): number {
  return at < from ? at - from : Math.max(0, at - to);
}
