import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Body, bodyFor, type ScrollPlace, scrolled, scrollTopOf } from './scroll-space.js';
import { type ColumnsInView, columnsInView, rowsToDraw, type View } from './window.js';

/** What is in a grid, in pixels. */
export interface GridContent {
  readonly rowCount: number;
  readonly rowHeight: number;
  readonly headHeight: number;
  /** The widths of the columns that are scrolled sideways. */
  readonly widths: readonly number[];
  /** The width of what stays at the left. */
  readonly pinnedWidth: number;
}

/** What is to be drawn of a grid. */
export interface Drawn {
  readonly rows: View;
  readonly columns: ColumnsInView;
  /** The place of the first row in the body; the body is moved by it, so that rows stay while it changes. */
  readonly shift: number;
  /** Whether it is scrolled sideways. */
  readonly isAside: boolean;
}

export interface Viewport extends Drawn {
  readonly body: Body;
  /** The height of the view without the head; 0 before it is known. */
  readonly viewHeight: number;
  /** Scrolls so that a part of the content is in view: from a pixel of it on, so many pixels. */
  reveal(top: number, height: number): void;
}

/** Milliseconds without scrolling after which what was left out while scrolling is drawn. */
const settleMs = 120;

/**
 * Follows the scrolling of an element, and says what is to be drawn. The component is drawn again only when that changes:
 * most frames of scrolling cost nothing. The size of the element is read when it changes, never while it is scrolled.
 * `onSettled` gets the pixel of the content at the top of the view when scrolling has ended.
 */
export function useViewport(
  scroller: RefObject<HTMLElement | null>,
  content: GridContent,
  onSettled?: (top: number) => void,
): Viewport {
  const [, redraw] = useState(0);
  const place = useRef<ScrollPlace>({ top: 0, scrollTop: 0 });
  const box = useRef({ left: 0, width: 0, height: 0, by: 0 });
  const latest = useRef(content);
  const settled = useRef(onSettled);
  settled.current = onSettled;
  const drawn = useRef<Drawn>({
    rows: { from: 0, to: 0 },
    columns: { from: 0, to: 0, before: 0 },
    shift: 0,
    isAside: false,
  });
  latest.current = content;

  const viewHeight = Math.max(0, box.current.height - content.headHeight);
  const contentHeight = content.rowCount * content.rowHeight;
  const body = bodyFor(contentHeight, viewHeight);
  const lastScale = useRef(body.scale);
  if (lastScale.current !== body.scale) {
    // More rows change what a pixel of the scrollbar stands for: the rows in view stay.
    lastScale.current = body.scale;
    const { top } = place.current;
    place.current = { top, scrollTop: scrollTopOf(top, body) };
  }

  function toDraw(): Drawn {
    const { rowHeight, rowCount, widths, pinnedWidth, headHeight } = latest.current;
    const { left, width, height, by } = box.current;
    const { top, scrollTop } = place.current;
    const scrolling = { top, height: Math.max(0, height - headHeight), by };
    return {
      rows: rowsToDraw(drawn.current.rows, scrolling, rowHeight, rowCount),
      columns: columnsInView(widths, left, Math.max(0, width - pinnedWidth)),
      shift: scrollTop - top,
      isAside: left > 0,
    };
  }

  function update(): void {
    if (!isEqual(toDraw(), drawn.current)) redraw((count) => count + 1);
  }

  function bodyNow(): Body {
    const { rowCount, rowHeight, headHeight } = latest.current;
    return bodyFor(rowCount * rowHeight, Math.max(0, box.current.height - headHeight));
  }

  /** Moves the scrollbar to where the content is by the scale. The content stays. */
  function align(element: HTMLElement): void {
    const scrollTop = scrollTopOf(place.current.top, bodyNow());
    if (Math.abs(scrollTop - place.current.scrollTop) < 1) return;
    place.current = { top: place.current.top, scrollTop };
    element.scrollTop = scrollTop;
  }

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && element.scrollTop !== place.current.scrollTop)
      element.scrollTop = place.current.scrollTop;
  }, [body.scale]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let settling: ReturnType<typeof setTimeout> | undefined;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      box.current = { ...box.current, width, height };
      redraw((count) => count + 1);
    };
    const settle = () => {
      box.current = { ...box.current, by: 0 };
      align(element);
      update();
      settled.current?.(place.current.top);
    };
    const onScroll = () => {
      const { rowCount, rowHeight, headHeight } = latest.current;
      const view = Math.max(0, box.current.height - headHeight);
      const now = bodyNow();
      const before = place.current;
      const { scrollTop, scrollLeft } = element;
      place.current = scrolled(before, scrollTop, now, { height: rowCount * rowHeight, viewHeight: view });
      box.current = { ...box.current, left: scrollLeft, by: place.current.top - before.top };
      const isNearEdge = Math.min(scrollTop, now.height - view - scrollTop) < 2 * view;
      if (now.scale !== 1 && isNearEdge) align(element);
      update();
      clearTimeout(settling);
      settling = setTimeout(settle, settleMs);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(settling);
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);

  function reveal(from: number, height: number): void {
    const element = scroller.current;
    if (element === null) return;
    const { top, scrollTop } = place.current;
    const end = from + height - viewHeight;
    const to = Math.max(0, from < top ? from : end > top ? Math.ceil(end) : top);
    if (to === top) return;
    const isFar = body.scale !== 1 && Math.abs(to - top) > 2 * viewHeight;
    const next = isFar || body.scale === 1 ? scrollTopOf(to, body) : scrollTop + to - top;
    place.current = { top: to, scrollTop: next };
    box.current = { ...box.current, by: to - top };
    element.scrollTop = next;
    update();
  }

  const next = toDraw();
  if (!isEqual(next, drawn.current)) drawn.current = next;
  return { ...drawn.current, body, viewHeight, reveal };
}

function isEqual(one: Drawn, other: Drawn): boolean {
  return (
    one.shift === other.shift &&
    one.isAside === other.isAside &&
    one.rows.from === other.rows.from &&
    one.rows.to === other.rows.to &&
    one.columns.from === other.columns.from &&
    one.columns.to === other.columns.to &&
    one.columns.before === other.columns.before
  );
}
