import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { isAborted } from '../../api/errors.js';
import { countMatches, type Page, type PageRequest, readItem, readPage } from '../base-api.js';
import { fromKey } from '../query/key-range.js';
import type { Row } from '../row.js';
import {
  type Budget,
  createRows,
  keysOf,
  type LoadedPage,
  pageOf,
  type Rows,
  releaseFar,
  replaceRows,
} from './rows.js';

/** The items of a base that match a query, in an order, read as far as they are shown. */
export interface Listing {
  readonly rows: ReadonlySignal<Rows>;
  readonly state: ReadonlySignal<'reading' | 'more' | 'complete' | 'failed'>;
  readonly failure: ReadonlySignal<unknown>;
  /** The number of all matches, once it is known. */
  readonly total: ReadonlySignal<number | undefined>;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Says which rows are in view. Those that were released are read again, those that are far away are released. */
  view(from: number, to: number): void;
  /** The items of keys of the listing, read again if they are not in memory. Those that are gone are left out. */
  read(keys: ReadonlySet<string>, signal?: AbortSignal): Promise<readonly Row[]>;
  /** Replaces rows that were changed, by their keys; undefined removes one. */
  replace(changes: ReadonlyMap<string, Row | undefined>): void;
  /** Reads items again that were changed elsewhere: at once those in view, the others when they come into view. */
  refresh(keys: ReadonlySet<string>): void;
  /** Adds rows at the start, where new items are seen. */
  prepend(added: readonly Row[]): void;
  /** Ends the requests in progress. */
  close(): void;
}

export interface ListingRequest {
  readonly base: string;
  /** The query as JSON text. */
  readonly query: string;
  readonly order: readonly string[];
  readonly isDescending: boolean;
  /** The key with which the list begins; empty: with the first one. Only for the order of keys. */
  readonly from: string;
}

/** The first page is small, so that it is there at once. */
const firstLimit = 100;
const limit = 500;
/** Enough for any screen and some scrolling back. */
const budget: Budget = { rows: 20_000, characters: 16_000_000 };

/** Opens a listing and reads its first page. */
export function openListing(request: ListingRequest): Listing {
  const rows = signal<Rows>(createRows([]));
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('more');
  const failure = signal<unknown>(undefined);
  const total = signal<number | undefined>(undefined);
  const ended = new AbortController();
  /** Keys of new items, which are shown first: they are not shown again in their place. */
  const added = new Set<string>();
  let inView = { from: 0, to: 0 };
  let isReadingAgain = false;
  const { base } = request;
  const asked: Omit<PageRequest, 'limit' | 'last'> = {
    ...request,
    query: fromKey(request.query, request.from, request.isDescending),
  };

  function fail(cause: unknown): void {
    if (isAborted(cause)) return;
    batch(() => {
      failure.value = cause;
      state.value = 'failed';
    });
  }

  /** A page may be empty although others follow: the service reads a bounded amount for each. */
  async function readSome(last: string | undefined, wanted: number, signal: AbortSignal): Promise<Page> {
    for (let from = last; ; ) {
      const page = await readPage(base, { ...asked, limit: wanted, last: from }, signal);
      if (page.rows.length > 0 || page.last === undefined) return page;
      from = page.last;
    }
  }

  const withoutAdded = (found: readonly Row[]) =>
    added.size === 0 ? found : found.filter(({ key }) => !added.has(key));

  async function more(): Promise<void> {
    if (state.peek() === 'reading' || state.peek() === 'complete') return;
    state.value = 'reading';
    const { pages } = rows.peek();
    const last = pages.findLast(({ isAdded }) => !isAdded);
    const start = last?.end;
    try {
      const page = await readSome(start, last === undefined ? firstLimit : limit, ended.signal);
      // The pages before may have changed meanwhile.
      const present = rows.peek();
      if (present.pages.findLast(({ isAdded }) => !isAdded)?.end !== start) {
        state.value = 'more';
        return more();
      }
      const next = pageOf(withoutAdded(page.rows), { start, end: page.last, isAdded: false });
      const all = createRows([...present.pages, next]);
      batch(() => {
        rows.value = releaseFar(all, present.locate(inView.from)?.page ?? present.pages.length, budget);
        state.value = page.last === undefined ? 'complete' : 'more';
        if (page.last === undefined && request.from === '') total.value = all.length;
      });
    } catch (cause) {
      fail(cause);
    }
  }

  /** Reads released pages in view again, one at a time: meanwhile the view may have gone elsewhere. */
  async function readAgain(): Promise<void> {
    if (isReadingAgain) return;
    isReadingAgain = true;
    try {
      for (let at = releasedInView(); at !== undefined; at = releasedInView()) {
        const page = rows.peek().pages[at];
        if (page === undefined) break;
        if (page.isAdded) await readAdded(page);
        else putBack(page.start, await readSome(page.start, Math.max(1, page.size), ended.signal));
      }
    } catch (cause) {
      fail(cause);
    }
    isReadingAgain = false;
  }

  /** New items are not where the list has them: each is read by its key. */
  async function readAdded(page: LoadedPage): Promise<void> {
    const found = await readEach(keysOf(page), ended.signal);
    const { pages } = rows.peek();
    const read = pageOf(found, page);
    rows.value = createRows(pages.map((one) => (one === page ? read : one)));
  }

  async function readEach(keys: readonly string[], signal: AbortSignal): Promise<readonly Row[]> {
    const found: Row[] = [];
    for (const key of keys) {
      const row = await readItem(base, key, signal);
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  function releasedInView(): number | undefined {
    const present = rows.peek();
    const first = present.locate(Math.min(inView.from, present.length - 1))?.page;
    const last = present.locate(Math.min(inView.to, present.length - 1))?.page;
    if (first === undefined || last === undefined) return undefined;
    const found = present.pages.slice(first, last + 1).findIndex((page) => page.rows === undefined);
    return found === -1 ? undefined : first + found;
  }

  function putBack(start: string | undefined, page: Page): void {
    const present = rows.peek();
    const at = present.pages.findIndex(
      (one) => !one.isAdded && one.start === start && one.rows === undefined,
    );
    const before = present.pages[at];
    if (before === undefined) return;
    const read = pageOf(withoutAdded(page.rows), { start, end: page.last, isAdded: false });
    // If items came or went meanwhile, it ends elsewhere. Then what follows is read anew, so that none is left out.
    const isSame = page.last === before.end;
    const pages = [...present.pages.slice(0, at), read, ...(isSame ? present.pages.slice(at + 1) : [])];
    batch(() => {
      rows.value = releaseFar(createRows(pages), at, budget);
      if (!isSame && state.peek() !== 'reading') state.value = page.last === undefined ? 'complete' : 'more';
    });
  }

  async function count(): Promise<void> {
    try {
      const counted = await countMatches(base, request.query, ended.signal);
      total.value ??= counted;
    } catch {
      // The number is an extra: the page shows why the items themselves cannot be read.
    }
  }

  void more();
  void count();
  return {
    rows,
    state,
    failure,
    total,
    more,
    view(from, to) {
      inView = { from, to };
      void readAgain();
    },
    async read(keys, signal = ended.signal) {
      const found: Row[] = [];
      for (const page of rows.peek().pages) {
        if (!keysOf(page).some((key) => keys.has(key))) continue;
        const read =
          page.rows ??
          (page.isAdded
            ? await readEach(keysOf(page), signal)
            : (await readSome(page.start, Math.max(1, page.size), signal)).rows);
        found.push(...read.filter(({ key }) => keys.has(key)));
      }
      return found;
    },
    replace(changes) {
      const present = rows.peek();
      const changed = replaceRows(present, changes);
      batch(() => {
        rows.value = changed;
        if (total.peek() !== undefined) total.value = (total.peek() ?? 0) - (present.length - changed.length);
      });
    },
    refresh(keys) {
      const pages = rows
        .peek()
        .pages.map((page) =>
          keysOf(page).some((key) => keys.has(key)) ? { ...page, rows: undefined } : page,
        );
      rows.value = createRows(pages);
      void readAgain();
    },
    prepend(more) {
      const others = replaceRows(rows.peek(), new Map(more.map(({ key }) => [key, undefined]))).pages;
      for (const { key } of more) added.add(key);
      batch(() => {
        rows.value = createRows([
          pageOf(more, { start: undefined, end: undefined, isAdded: true }),
          ...others,
        ]);
        if (total.peek() !== undefined) total.value = (total.peek() ?? 0) + more.length;
      });
    },
    close: () => ended.abort(),
  };
}
