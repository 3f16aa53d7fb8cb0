/** A part of a row of boxes: `from` inclusive, `to` exclusive. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** Rows that are drawn at least before and after those in view. */
const margin = 4;
/** Rows that are drawn at most ahead of those in view. */
const maxAhead = 24;

export interface Scrolling {
  /** The pixel of the content at the top of the view. */
  readonly top: number;
  /** The height of the view. */
  readonly height: number;
  /** Pixels by which it was scrolled last: downwards if positive. */
  readonly by: number;
}

/**
 * The rows to draw, all of the same height: those in view, and more ahead the faster it is scrolled. While the rows that
 * are drawn already are enough, they stay.
 */
export function rowsToDraw(
  drawn: View,
  { top, height, by }: Scrolling,
  rowHeight: number,
  count: number,
): View {
  const inView = {
    from: Math.max(0, Math.min(count, Math.floor(top / rowHeight))),
    to: Math.max(0, Math.min(count, Math.ceil((top + height) / rowHeight))),
  };
  const isJump = Math.abs(by) > 2 * height;
  // Whoever drags the scrollbar goes on to other rows at once.
  if (isJump) return inView;
  const ahead = Math.min(maxAhead, margin + Math.ceil((2 * Math.abs(by)) / rowHeight));
  const wanted = {
    from: Math.max(0, inView.from - (by < 0 ? ahead : margin)),
    to: Math.min(count, inView.to + (by > 0 ? ahead : margin)),
  };
  const near = Math.floor(margin / 2);
  const isEnough =
    drawn.from <= Math.max(0, inView.from - near) &&
    drawn.to >= Math.min(count, inView.to + near) &&
    drawn.to <= count &&
    drawn.to - drawn.from <= wanted.to - wanted.from + maxAhead;
  return isEnough ? drawn : wanted;
}

export interface ColumnsInView extends View {
  /** The width of the columns before those in view. */
  readonly before: number;
}

/** The columns in view. */
export function columnsInView(widths: readonly number[], scrollLeft: number, width: number): ColumnsInView {
  let from = 0;
  let before = 0;
  while (from < widths.length && before + (widths[from] ?? 0) < scrollLeft) before += widths[from++] ?? 0;
  let to = from;
  for (let end = before; to < widths.length && end < scrollLeft + width; to++) end += widths[to] ?? 0;
  return { from, to, before };
}
