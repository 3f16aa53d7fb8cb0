/** The part of a row of boxes that is in view: `from` inclusive, `to` exclusive. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** Rows that are drawn before and after those in view, so that fast scrolling shows no gap. */
const overscan = 8;

/** The rows in view, all of the same height. */
export function rowsInView(scrollTop: number, height: number, rowHeight: number, count: number): View {
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
  const to = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + overscan);
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
