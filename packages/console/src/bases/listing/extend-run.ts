import type { ReadonlySignal } from '@preact/signals';
import { areSame, isAtEnd, placeAfter, placeBefore } from './loaded-run.js';
import type { ListReader } from './reader.js';
import { type LoadedPage, pageOf, type Rows } from './rows.js';

/** What reads a run, and what shows it. */
export interface RunReading {
  readonly reader: ListReader;
  readonly rows: ReadonlySignal<Rows>;
  /** Shows a run of pages. `first` is the number of its first row. */
  show(pages: readonly LoadedPage[], first: number): void;
  /** Ends the requests. */
  readonly ended: AbortSignal;
}

/** The first page is small, so that it is there at once. */
const firstLimit = 100;
export const limit = 500;

/** Reads the page after the run. Gives what adds it, unless the run has changed in the meantime. */
export async function readAfter({ reader, rows, show, ended }: RunReading): Promise<() => void> {
  const start = placeAfter(rows.peek().pages);
  const page = await reader.after(start, start === undefined ? firstLimit : limit, ended);
  return () => {
    const { pages, first } = rows.peek();
    if (placeAfter(pages) !== start || isAtEnd(pages)) return;
    show([...pages, pageOf(page.rows, { start, end: page.last })], first);
  };
}

/** Reads the page before the run, which does not begin with the list, and gives the same. */
export async function readBefore({ reader, rows, show, ended }: RunReading): Promise<() => void> {
  const from = placeBefore(rows.peek().pages);
  const { rows: found, next } = await reader.before(from, limit, ended);
  return () => {
    const { pages, first } = rows.peek();
    if (!areSame(placeBefore(pages), from)) return;
    const page = pageOf(found, { start: undefined, end: undefined, backward: { from, next } });
    show([page, ...pages], first - found.length);
  };
}
