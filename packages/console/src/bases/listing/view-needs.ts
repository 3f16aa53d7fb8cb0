import { isToRead, placeBefore } from './loaded-run.js';
import type { LoadedPage, Rows } from './rows.js';

/** The rows in view: from one on, up to another. */
export interface InView {
  readonly from: number;
  readonly to: number;
}

/** Rows ahead of the view at which the next page is asked for: more than a second of turning the wheel. */
const readAhead = 300;
/** Rows from the run within which it grows up to the view; farther away another run begins. */
const near = 1000;

/**
 * What is to be read for a view: another run, or what comes after or before this one; undefined if nothing is.
 * `isComplete`: nothing comes after it.
 */
export function neededBy(
  { from, to }: InView,
  { first, length, pages, span }: Rows,
  isComplete: boolean,
): 'elsewhere' | 'after' | 'before' | undefined {
  if (length === 0 || to === 0) return undefined;
  const end = first + length;
  const ahead = Math.min(readAhead, length / 2);
  const isFar =
    from >= end + near || to <= first - near || (to >= span && from >= end) || (from === 0 && to <= first);
  if (isFar) return 'elsewhere';
  if (to + ahead > end && !isComplete) return 'after';
  return from - ahead < first && placeBefore(pages) !== undefined ? 'before' : undefined;
}

/** A released or stale page in view. */
export function pageToRead({ from, to }: InView, rows: Rows): LoadedPage | undefined {
  const end = rows.first + rows.length - 1;
  const first = rows.locate(Math.max(rows.first, Math.min(from, end)))?.page;
  const last = rows.locate(Math.max(rows.first, Math.min(to, end)))?.page;
  if (first === undefined || last === undefined) return undefined;
  return rows.pages.slice(first, last + 1).find(isToRead);
}
