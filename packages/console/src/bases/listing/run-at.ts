import type { ListReader } from './reader.js';
import { pageOf, type Rows } from './rows.js';

interface RunAt {
  readonly reader: ListReader;
  /** The rows in view. */
  readonly view: { readonly from: number; readonly to: number };
  /** The number of all rows. */
  readonly all: number;
  readonly limit: number;
}

/** Reads a page around the rows in view, with which a run begins: at an end of the list, or in its middle. */
export async function readRunAt(
  { reader, view: { from, to }, all, limit }: RunAt,
  signal: AbortSignal,
): Promise<Pick<Rows, 'pages' | 'first'>> {
  const first = Math.floor((from + to - limit) / 2);
  if (from === 0 || (to < all && first <= 1)) {
    const { rows, last } = await reader.after(undefined, limit, signal);
    return { pages: [pageOf(rows, { start: undefined, end: last })], first: 0 };
  }
  if (to < all) {
    const { rows, start, last } = await reader.at(first, limit, signal);
    if (rows.length > 0) return { pages: [pageOf(rows, { start, end: last })], first };
    // There are fewer items than were counted.
  }
  const { rows, next } = await reader.before(undefined, limit, signal);
  const page = pageOf(rows, { start: undefined, end: undefined, backward: { from: undefined, next } });
  return { pages: [page], first: all - rows.length };
}
