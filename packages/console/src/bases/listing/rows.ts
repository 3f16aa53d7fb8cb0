import type { KeyList } from '../../grid/selection.js';
import type { Row } from '../view/row.js';

/**
 * Where a list is read on backwards. Items without the attribute of the order come last in either direction
 * (docs/http.md#ordered-queries), so the reverse of a list is read in two parts: those without it, and those with it.
 */
export interface Backward {
  readonly part: 'without' | 'with';
  /** As the service continues the reversed query; undefined at the end of the part. */
  readonly last: string | undefined;
}

/** A page of a listing. Its items are released when they are far from the view; its keys stay. */
export interface LoadedPage {
  /** Where it begins, as the service continues a query; undefined at the start. */
  readonly start: string | undefined;
  /** Where the next page begins; undefined after the last item. */
  readonly end: string | undefined;
  /** For a page that was read backwards: from where, and where the page before it is read. */
  readonly backward?: { readonly from: Backward | undefined; readonly next: Backward | undefined };
  /** Whether items of it may have changed, come or gone: it is read again when it comes into view. */
  readonly isStale?: boolean | undefined;
  readonly size: number;
  /** The keys with a U+0000 between them, which no key has: one text takes much less memory than many. */
  readonly keys: string;
  /** Undefined once they are released. */
  readonly rows: readonly Row[] | undefined;
}

const separator = '\0';

/** The rows of a listing at one moment. */
export interface Rows {
  /** Rows that were read. */
  readonly length: number;
  /** The number of the first of them: others come before it in the list. */
  readonly first: number;
  /** All rows of the list, as far as it is known. */
  readonly span: number;
  readonly pages: readonly LoadedPage[];
  /** The item of a row; undefined while it is not in memory. */
  at(row: number): Row | undefined;
  /** The keys of all rows, in memory or not. */
  readonly keys: KeyList;
  /** The item of a key, if it is in memory. */
  find(key: string): Row | undefined;
  /** The place of a row's page, and the row's place in it. */
  locate(row: number): { readonly page: number; readonly at: number } | undefined;
  /** Up to this many of the items in memory, from the first one on. */
  sample(count: number): readonly Row[];
}

/** A page of items that are in memory. */
export function pageOf(
  rows: readonly Row[],
  { start, end, backward, isStale = false }: Pick<LoadedPage, 'start' | 'end' | 'backward' | 'isStale'>,
): LoadedPage {
  const keys = rows.map(({ key }) => key).join(separator);
  const place = { start, end, isStale, ...(backward === undefined ? {} : { backward }) };
  return { ...place, size: rows.length, keys, rows };
}

/**
 * The pages as they are when any item of the listing may have changed, come or gone: each must be read again. A page
 * without rows never comes into view. The one after it begins where it began, and after the last one more is read; so
 * do pages that were read backwards, in the other direction.
 */
export function stalePages(pages: readonly LoadedPage[]): readonly LoadedPage[] {
  const forwards = pages.filter(({ backward }) => backward === undefined);
  const backwards = pages.filter(({ backward }) => backward !== undefined);
  const kept: LoadedPage[] = [];
  let from = backwards.at(-1)?.backward?.from;
  for (const page of backwards.toReversed()) {
    if (page.size === 0) continue;
    kept.unshift({ ...page, backward: { from, next: page.backward?.next }, isStale: true });
    from = page.backward?.next;
  }
  let start = forwards[0]?.start;
  for (const page of forwards) {
    if (page.size === 0) continue;
    kept.push({ ...page, start, isStale: true });
    start = page.end;
  }
  return kept;
}

/** The keys of a page. */
export function keysOf({ rows, keys, size }: LoadedPage): readonly string[] {
  if (rows !== undefined) return rows.map(({ key }) => key);
  return size === 0 ? [] : keys.split(separator);
}

/** Those of the keys that are rows, in memory or not. */
export function keysAmong({ pages }: Rows, keys: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(pages.flatMap((page) => keysOf(page).filter((key) => keys.has(key))));
}

/** The number of the row of a key, loaded or released; undefined if that row was not read. */
export function rowOfKey({ pages, first }: Rows, key: string): number | undefined {
  let before = first;
  for (const page of pages) {
    const at = page.size === 0 ? -1 : keysOf(page).indexOf(key);
    if (at !== -1) return before + at;
    before += page.size;
  }
  return undefined;
}

/** The rows of pages, one after the other, as a part of a list: `first` come before them, and it has `span` at least. */
export function createRows(pages: readonly LoadedPage[], first = 0, span = 0): Rows {
  const starts: number[] = [];
  let end = first;
  for (const { size } of pages) {
    starts.push(end);
    end += size;
  }
  /** The keys of the page that was asked for last: rows are drawn one after the other. */
  let split: { readonly page: number; readonly keys: readonly string[] } | undefined;

  function locate(row: number) {
    if (row < first || row >= end) return undefined;
    let low = 0;
    for (let high = starts.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return { page: low, at: row - (starts[low] ?? 0) };
  }

  function keysOfPage(page: number): readonly string[] {
    const entry = pages[page];
    if (entry === undefined) return [];
    if (split?.page !== page) split = { page, keys: keysOf(entry) };
    return split.keys;
  }

  return {
    length: end - first,
    first,
    span: Math.max(span, end),
    pages,
    locate,
    at(row) {
      const place = locate(row);
      return place === undefined ? undefined : pages[place.page]?.rows?.[place.at];
    },
    keys: {
      length: end,
      at(row) {
        const place = locate(row);
        if (place === undefined) return undefined;
        return pages[place.page]?.rows?.[place.at]?.key ?? keysOfPage(place.page)[place.at];
      },
      slice(from, to) {
        return pages.flatMap((page, n) => {
          const start = starts[n] ?? 0;
          if (start >= to || start + page.size <= from) return [];
          return keysOf(page).slice(Math.max(0, from - start), Math.max(0, to - start));
        });
      },
    },
    find(key) {
      for (const { rows } of pages) {
        const found = rows?.find((row) => row.key === key);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    sample(count) {
      const found: Row[] = [];
      for (const { rows = [] } of pages) {
        found.push(...rows.slice(0, count - found.length));
        if (found.length >= count) break;
      }
      return found;
    },
  };
}

/** Rows with some replaced by their keys; undefined removes one. */
export function replaceRows(rows: Rows, changes: ReadonlyMap<string, Row | undefined>): Rows {
  const pages = rows.pages.map((page) => {
    const keys = keysOf(page);
    if (!keys.some((key) => changes.has(key))) return page;
    if (page.rows !== undefined) {
      const kept = page.rows.flatMap((row) => {
        if (!changes.has(row.key)) return [row];
        const changed = changes.get(row.key);
        return changed === undefined ? [] : [changed];
      });
      return pageOf(kept, page);
    }
    const kept = keys.filter((key) => !changes.has(key) || changes.get(key) !== undefined);
    return { ...page, size: kept.length, keys: kept.join(separator) };
  });
  const gone = rows.length - pages.reduce((sum, { size }) => sum + size, 0);
  return createRows(pages, rows.first, rows.span - gone);
}

/** What may be in memory: rows, and characters of their texts. */
export interface Budget {
  readonly rows: number;
  readonly characters: number;
}

/**
 * Releases the items of pages that are far from the page in view, until the rest is within the budget. The first page and
 * those next to the view stay.
 */
export function releaseFar(rows: Rows, inView: number, budget: Budget): Rows {
  const near = rows.pages
    .map((page, at) => ({ page, at, distance: Math.abs(at - inView) }))
    .filter(({ page }) => page.rows !== undefined)
    .sort((a, b) => a.distance - b.distance);
  const released = new Set<number>();
  let count = 0;
  let characters = 0;
  for (const { page, at, distance } of near) {
    count += page.size;
    characters += page.rows?.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    const isOver = count > budget.rows || characters > budget.characters;
    if (isOver && at > 0 && distance > 1) released.add(at);
  }
  if (released.size === 0) return rows;
  const pages = rows.pages.map((page, at) => (released.has(at) ? { ...page, rows: undefined } : page));
  return createRows(pages, rows.first, rows.span);
}
