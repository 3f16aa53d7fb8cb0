import { type Backward, createRows, keysOf, type LoadedPage, type Rows } from './rows.js';

// A run is the part of a list that is read: pages that follow each other without a gap.

/** Where the page before a run is read; undefined at the start of the list. */
export function placeBefore([page]: readonly LoadedPage[]): Backward | undefined {
  if (page?.backward !== undefined) return page.backward.next;
  return page?.start === undefined ? undefined : { part: 'with', last: keysOf(page)[0] ?? page.start };
}

/** Whether a list is read on backwards from the same place. */
export function areSame(one: Backward | undefined, other: Backward | undefined): boolean {
  return one?.part === other?.part && one?.last === other?.last;
}

/** Where the page after a run is read; undefined at the end of the list, and for a run without pages. */
export function placeAfter(pages: readonly LoadedPage[]): string | undefined {
  const last = pages.at(-1);
  return last?.backward === undefined ? last?.end : last.backward.from?.last;
}

/** Whether a run ends with the list. */
export function isAtEnd(pages: readonly LoadedPage[]): boolean {
  return pages.length > 0 && placeAfter(pages) === undefined;
}

/** The rows of pages. */
export const sizeOf = (pages: readonly LoadedPage[]) => pages.reduce((sum, { size }) => sum + size, 0);

/**
 * The rows of a run. `first` is the number of its first row, as far as it is known, and `total` that of all rows, 0 if it
 * is not. At an end of the list, the end says what the numbers are.
 */
export function placeRun(pages: readonly LoadedPage[], first: number, total: number): Rows {
  const isLast = isAtEnd(pages);
  const counted = isLast && total > 0 ? total - sizeOf(pages) : first;
  const start = placeBefore(pages) === undefined ? 0 : Math.max(1, counted);
  return createRows(pages, start, isLast ? 0 : total);
}

/** The pages of a run in which one was read again: what it does not continue any more is left out, to be read anew. */
export function replacePage(
  { pages, first }: Pick<Rows, 'pages' | 'first'>,
  before: LoadedPage,
  read: LoadedPage,
): Pick<Rows, 'pages' | 'first'> {
  const at = indexOfPage(pages, before);
  if (at === -1) return { pages, first };
  const isBackward = read.backward !== undefined;
  const isSame = read.end === before.end && areSame(read.backward?.next, before.backward?.next);
  const above = isSame || !isBackward ? pages.slice(0, at) : [];
  const below = isSame || isBackward ? pages.slice(at + 1) : [];
  // The rows below a page that was read backwards keep their numbers, and those above one that was read forwards.
  const end = first + sizeOf(pages.slice(0, at + 1));
  return { pages: [...above, read, ...below], first: isBackward ? end - read.size - sizeOf(above) : first };
}

/** The place of a page in a run. Rows of it may have been changed in the meantime: it is another object then. */
function indexOfPage(pages: readonly LoadedPage[], page: LoadedPage): number {
  const isSame = (one: LoadedPage) =>
    page.backward === undefined
      ? one.backward === undefined && one.start === page.start
      : one.backward !== undefined && areSame(one.backward.from, page.backward.from);
  return pages.findIndex((one) => isSame(one) && isToRead(one));
}

/** Whether a page must be read again when it is in view. */
export const isToRead = ({ rows, isStale = false }: LoadedPage) => rows === undefined || isStale;
