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

/** Milliseconds without scrolling after which what was left out while scrolling is drawn. */
const settleMs = 120;
/** Rows that are printed at most: the browser draws all of them at once. */
const maxPrinted = 1000;

/** What is known of an element that is scrolled, from one drawing to the next. */
export interface Scrolling {
  content: GridContent;
  /** Whether it is being printed: then paper, and not the view, says how much of it is seen. */
  isPrinted: boolean;
  /** Gets the pixel of the content at the top of the view when scrolling has ended. */
  onSettled: ((top: number) => void) | undefined;
  place: ScrollPlace;
  /** How far it is scrolled sideways, the size of the view, and by how much the last event has scrolled. */
  box: { readonly left: number; readonly width: number; readonly height: number; readonly by: number };
  drawn: Drawn;
  /** Draws the component again. */
  readonly redraw: () => void;
}

export function unscrolled(content: GridContent, redraw: () => void): Scrolling {
  return {
    content,
    isPrinted: false,
    onSettled: undefined,
    place: { top: 0, scrollTop: 0 },
    box: { left: 0, width: 0, height: 0, by: 0 },
    drawn: { rows: { from: 0, to: 0 }, columns: { from: 0, to: 0, before: 0 }, shift: 0, isAside: false },
    redraw,
  };
}

/** The height of the view without the head; 0 before it is known. */
export function viewHeightOf({ box, content }: Scrolling): number {
  return Math.max(0, box.height - content.headHeight);
}

export function bodyOf(scrolling: Scrolling): Body {
  const { rowCount, rowHeight } = scrolling.content;
  return bodyFor(rowCount * rowHeight, viewHeightOf(scrolling));
}

/** Says what is to be drawn now. What is equal to what is drawn is the same object. */
export function toDraw(scrolling: Scrolling): Drawn {
  const { content, box, place, drawn } = scrolling;
  const { rowHeight, rowCount, widths, pinnedWidth } = content;
  if (scrolling.isPrinted) {
    // All of it, or as much from the top of the view on.
    const from = rowCount <= maxPrinted ? 0 : Math.floor(place.top / rowHeight);
    const rows = { from, to: Math.min(rowCount, from + maxPrinted) };
    return { rows, columns: { from: 0, to: widths.length, before: 0 }, shift: 0, isAside: false };
  }
  const view = { top: place.top, height: viewHeightOf(scrolling), by: box.by };
  const next = {
    rows: rowsToDraw(drawn.rows, view, rowHeight, rowCount),
    columns: columnsInView(widths, box.left, Math.max(0, box.width - pinnedWidth)),
    shift: place.scrollTop - place.top,
    isAside: box.left > 0,
  };
  return isEqual(next, drawn) ? drawn : next;
}

/** Follows the size and the scrolling of an element until the returned function is called. */
export function followScrolling(scrolling: Scrolling, element: HTMLElement): () => void {
  let settling: ReturnType<typeof setTimeout> | undefined;
  const measure = () => {
    const { clientWidth: width, clientHeight: height } = element;
    scrolling.box = { ...scrolling.box, width, height };
    scrolling.redraw();
  };
  const settle = () => {
    scrolling.box = { ...scrolling.box, by: 0 };
    align(scrolling, element);
    update(scrolling);
    scrolling.onSettled?.(scrolling.place.top);
  };
  const onScroll = () => {
    takeScroll(scrolling, element);
    update(scrolling);
    clearTimeout(settling);
    settling = setTimeout(settle, settleMs);
  };
  measure();
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  element.addEventListener('scroll', onScroll, { passive: true });
  const onPrint = ({ type }: Event) => {
    scrolling.isPrinted = type === 'beforeprint';
    scrolling.redraw();
  };
  addEventListener('beforeprint', onPrint);
  addEventListener('afterprint', onPrint);
  return () => {
    removeEventListener('beforeprint', onPrint);
    removeEventListener('afterprint', onPrint);
    clearTimeout(settling);
    observer.disconnect();
    element.removeEventListener('scroll', onScroll);
  };
}

/** Scrolls so that a part of the content is in view: `height` pixels of it, from the pixel `from` on. */
export function reveal(scrolling: Scrolling, element: HTMLElement, from: number, height: number): void {
  const { top, scrollTop } = scrolling.place;
  const viewHeight = viewHeightOf(scrolling);
  const body = bodyOf(scrolling);
  const end = from + height - viewHeight;
  const to = Math.max(0, from < top ? from : end > top ? Math.ceil(end) : top);
  if (to === top) return;
  const isFar = body.scale !== 1 && Math.abs(to - top) > 2 * viewHeight;
  const next = isFar || body.scale === 1 ? scrollTopOf(to, body) : scrollTop + to - top;
  scrolling.place = { top: to, scrollTop: next };
  scrolling.box = { ...scrolling.box, by: to - top };
  element.scrollTop = next;
  update(scrolling);
}

function takeScroll(scrolling: Scrolling, element: HTMLElement): void {
  const { rowCount, rowHeight } = scrolling.content;
  const viewHeight = viewHeightOf(scrolling);
  const body = bodyOf(scrolling);
  const before = scrolling.place;
  const { scrollTop, scrollLeft } = element;
  scrolling.place = scrolled(before, scrollTop, body, { height: rowCount * rowHeight, viewHeight });
  scrolling.box = { ...scrolling.box, left: scrollLeft, by: scrolling.place.top - before.top };
  const isNearEdge = Math.min(scrollTop, body.height - viewHeight - scrollTop) < 2 * viewHeight;
  if (body.scale !== 1 && isNearEdge) align(scrolling, element);
}

/** Moves the scrollbar to where the content is by the scale. The content stays. */
function align(scrolling: Scrolling, element: HTMLElement): void {
  const { top, scrollTop: before } = scrolling.place;
  const scrollTop = scrollTopOf(top, bodyOf(scrolling));
  if (Math.abs(scrollTop - before) < 1) return;
  scrolling.place = { top, scrollTop };
  element.scrollTop = scrollTop;
}

function update(scrolling: Scrolling): void {
  if (toDraw(scrolling) !== scrolling.drawn) scrolling.redraw();
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
