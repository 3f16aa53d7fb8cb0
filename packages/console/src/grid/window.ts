/** The part of a row of boxes that is in view: `from` inclusive, `to` exclusive. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** Rows that are drawn before and after those in view, so that fast scrolling shows no gap. */
const overscan = 8;
/** Rows by which the view may move before others are drawn. */
const step = 4;
/** Browsers draw nothing beyond some millions of pixels: Firefox ends at 17.8 million. */
const maxBodyHeight = 15_000_000;

/** The height of the body of a grid, and how many pixels of content each pixel of scrolling stands for. */
export interface Body {
  readonly height: number;
  readonly scale: number;
}

/** The body for so much content: as high as it, or the highest that browsers can draw, which is scrolled faster. */
export function bodyFor(contentHeight: number, viewHeight: number): Body {
  if (contentHeight <= maxBodyHeight) return { height: contentHeight, scale: 1 };
  return { height: maxBodyHeight, scale: (contentHeight - viewHeight) / (maxBodyHeight - viewHeight) };
}

/** A place of scrolling, rounded so that it stays the same while the same rows are drawn. */
export function roundedTop(scrollTop: number, rowHeight: number): number {
  return scrollTop - (scrollTop % (rowHeight * step));
}

/** The rows in view, all of the same height. `top` may be rounded. */
export function rowsInView(top: number, height: number, rowHeight: number, count: number): View {
  const from = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + step + overscan);
  return { from: Math.min(from, to), to };
}

/** The columns in view, and the width of those before them. */
export function columnsInView(
  widths: readonly number[],
  scrollLeft: number,
  width: number,
): View & { readonly before: number } {
  let from = 0;
  let before = 0;
  while (from < widths.length && before + (widths[from] ?? 0) < scrollLeft) before += widths[from++] ?? 0;
  let to = from;
  for (let end = before; to < widths.length && end < scrollLeft + width; to++) end += widths[to] ?? 0;
  return { from, to, before };
}
