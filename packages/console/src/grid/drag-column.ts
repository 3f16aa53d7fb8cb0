import type { GridColumn } from './grid-props.js';

/** Where a dragged column is dropped: before another one, or after the last one. */
export interface Drop {
  readonly before: string | undefined;
}

interface Dragging {
  readonly columns: readonly GridColumn[];
  /** The place of the dragged column. */
  readonly from: number;
  /** Where the column would be dropped; undefined where it stays. */
  onDrop(drop: Drop | undefined): void;
  onEnd(drop: Drop | undefined): void;
}

/** Pixels within which a press is a click. */
const clickSize = 5;
/** Pixels from an edge within which the columns are scrolled, and by how many at a time. */
const edge = 40;
const scrollBy = 12;

/** Follows the head of a column over the others until its button is let go. What is no drag stays a click. */
export function dragColumn(scroller: HTMLElement, start: MouseEvent, dragging: Dragging): void {
  const ended = new AbortController();
  const { signal } = ended;
  let drop: Drop | undefined;
  let isDrag = false;

  addEventListener(
    'mousemove',
    (event) => {
      if (event.buttons === 0) return end();
      isDrag ||= Math.abs(event.clientX - start.clientX) > clickSize;
      if (!isDrag) return;
      const { left, right } = scroller.getBoundingClientRect();
      if (event.clientX > right - edge) scroller.scrollLeft += scrollBy;
      else if (event.clientX < left + edge) scroller.scrollLeft -= scrollBy;
      drop = dropAt(scroller, event.clientX, dragging);
      dragging.onDrop(drop);
    },
    { signal },
  );
  addEventListener('mouseup', end, { signal });
  addEventListener('keydown', (event) => event.key === 'Escape' && cancel(event), { signal, capture: true });

  function cancel(event: KeyboardEvent): void {
    event.preventDefault();
    event.stopPropagation();
    drop = undefined;
    end();
  }

  function end(): void {
    ended.abort();
    if (isDrag) ignoreClick();
    dragging.onEnd(isDrag ? drop : undefined);
  }
}

/** The column before which something at this place of the window is dropped. */
function dropAt(scroller: HTMLElement, x: number, { columns, from }: Dragging): Drop | undefined {
  const heads = scroller.querySelectorAll<HTMLElement>('.grid-head [role=columnheader]:not(.box)');
  let at = columns.length;
  for (const head of [...heads].reverse()) {
    const { left, width } = head.getBoundingClientRect();
    if (x < left + width / 2) at = Number(head.ariaColIndex) - 2;
  }
  // The first column keeps its place, and so does what is dropped next to itself.
  const to = Math.max(1, at);
  return to === from || to === from + 1 ? undefined : { before: columns[to]?.id };
}

/** The browser makes a click of what ends on the head where it began. */
function ignoreClick(): void {
  const stop = (event: Event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  addEventListener('click', stop, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', stop, { capture: true }));
}
