import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { isAborted } from '../../api/errors.js';
import { countMatches, type Page, type PageRequest, readItem, readPage } from '../base-api.js';
import { fromKey } from '../query/key-range.js';
import { everything } from '../query/model.js';
import type { Row } from '../row.js';
import { matchesOf } from './matching.js';
import {
  type Budget,
  createRows,
  keysOf,
  type LoadedPage,
  pageOf,
  type Rows,
  releaseFar,
  replaceRows,
  stalePages,
} from './rows.js';

/** The items of a base that match a query, in an order, read as far as they are shown. */
export interface Listing {
  readonly request: ListingRequest;
  readonly rows: ReadonlySignal<Rows>;
  readonly state: ReadonlySignal<'reading' | 'more' | 'complete' | 'failed'>;
  readonly failure: ReadonlySignal<unknown>;
  /** The number of all matches, once it is known. */
  readonly total: ReadonlySignal<number | undefined>;
  /** The keys of rows that were changed here and do not match any more: they stay where they are until they are read again. */
  readonly unmatched: ReadonlySignal<ReadonlySet<string>>;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Says which rows are in view. Those that were released are read again, those that are far away are released. */
  view(from: number, to: number): void;
  /** The items of keys of the listing, read again if they are not in memory. Those that are gone are left out. */
  read(keys: ReadonlySet<string>, signal?: AbortSignal): Promise<readonly Row[]>;
  /** Replaces rows that were changed, by their keys; undefined removes one. */
  replace(changes: ReadonlyMap<string, Row | undefined>): void;
  /**
   * Reads what is in view again, and the rest when it comes into view: items were changed, came or went. All are then in
   * their places.
   */
  refresh(): void;
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
/** Changed items of which each is compared with the query by itself. */
const maxCompared = 500;
/** Enough for any screen and some scrolling back. */
const budget: Budget = { rows: 20_000, characters: 16_000_000 };

const isToRead = ({ rows, isStale = false }: LoadedPage) => rows === undefined || isStale;

/** Opens a listing and reads its first page. */
export function openListing(request: ListingRequest): Listing {
  const rows = signal<Rows>(createRows([]));
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('more');
  const failure = signal<unknown>(undefined);
  const total = signal<number | undefined>(undefined);
  const ended = new AbortController();
  const unmatched = signal<ReadonlySet<string>>(new Set());
  let inView = { from: 0, to: 0 };
  let isReadingAgain = false;
  /** Counts that were begun: only the last one says how many there are. */
  let counts = 0;
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

  async function more(): Promise<void> {
    if (state.peek() === 'reading' || state.peek() === 'complete') return;
    state.value = 'reading';
    const last = rows.peek().pages.at(-1);
    const start = last?.end;
    try {
      const page = await readSome(start, last === undefined ? firstLimit : limit, ended.signal);
      // The pages before may have changed meanwhile.
      const present = rows.peek();
      if (present.pages.at(-1)?.end !== start) {
        state.value = 'more';
        return more();
      }
      const next = pageOf(page.rows, { start, end: page.last });
      const all = createRows([...present.pages, next]);
      batch(() => {
        rows.value = releaseFar(all, present.locate(inView.from)?.page ?? present.pages.length, budget);
        state.value = page.last === undefined ? 'complete' : 'more';
        if (page.last === undefined && request.from === '') total.value = all.length - unmatched.peek().size;
      });
    } catch (cause) {
      fail(cause);
    }
  }

  /** Reads released and stale pages in view again, one at a time: meanwhile the view may have gone elsewhere. */
  async function readAgain(): Promise<void> {
    if (isReadingAgain) return;
    isReadingAgain = true;
    try {
      for (let page = toReadInView(); page !== undefined; page = toReadInView())
        putBack(page, await readSome(page.start, Math.max(1, page.size), ended.signal));
    } catch (cause) {
      fail(cause);
    }
    isReadingAgain = false;
  }

  async function readEach(keys: Iterable<string>, signal: AbortSignal): Promise<readonly Row[]> {
    const found: Row[] = [];
    for (const key of keys) {
      const row = await readItem(base, key, signal);
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  function toReadInView(): LoadedPage | undefined {
    const present = rows.peek();
    const first = present.locate(Math.min(inView.from, present.length - 1))?.page;
    const last = present.locate(Math.min(inView.to, present.length - 1))?.page;
    if (first === undefined || last === undefined) return undefined;
    return present.pages.slice(first, last + 1).find(isToRead);
  }

  function putBack(before: LoadedPage, page: Page): void {
    const present = rows.peek();
    // Rows of it may have been changed meanwhile: it is another object then.
    const at = present.pages.findIndex((one) => one.start === before.start && isToRead(one));
    if (at === -1) return;
    const read = pageOf(page.rows, { start: before.start, end: page.last });
    // If items came or went meanwhile, it ends elsewhere. Then what follows is read anew, so that none is left out.
    const isSame = page.last === before.end;
    const pages = [...present.pages.slice(0, at), read, ...(isSame ? present.pages.slice(at + 1) : [])];
    const next = createRows(pages);
    const left = new Set(keysOf(before));
    batch(() => {
      rows.value = releaseFar(next, at, budget);
      // What was read matches, and what does not match is gone.
      setUnmatched([...unmatched.peek()].filter((key) => !left.has(key)));
      if (!isSame && state.peek() !== 'reading') state.value = page.last === undefined ? 'complete' : 'more';
    });
    if (!isSame) void more();
  }

  function setUnmatched(keys: readonly string[]): void {
    if (keys.length > 0 || unmatched.peek().size > 0) unmatched.value = new Set(keys);
  }

  /** Marks those of the changed items that do not match any more, and counts again. */
  async function compare(keys: readonly string[]): Promise<void> {
    if (keys.length === 0 || request.query === everything) return;
    if (keys.length > maxCompared) return refresh();
    try {
      const matching = await matchesOf(base, request.query, keys, ended.signal);
      setUnmatched([
        ...[...unmatched.peek()].filter((key) => !keys.includes(key)),
        ...keys.filter((key) => !matching.has(key)),
      ]);
    } catch {
      // The mark is an extra. What is stored is shown in any case.
    }
    void count();
  }

  function refresh(): void {
    const before = rows.peek().pages;
    const pages = stalePages(before);
    const isEndCut = (before.at(-1)?.size ?? 0) === 0;
    batch(() => {
      rows.value = createRows(pages);
      if (isEndCut && state.peek() !== 'reading') state.value = 'more';
    });
    if (isEndCut) void more();
    void readAgain();
    void count();
  }

  async function count(): Promise<void> {
    const turn = ++counts;
    try {
      const counted = await countMatches(base, request.query, ended.signal);
      if (turn === counts) total.value = counted;
    } catch {
      // The number is an extra: the page shows why the items themselves cannot be read.
    }
  }

  void more();
  void count();
  return {
    request,
    rows,
    state,
    failure,
    total,
    unmatched,
    more,
    view(from, to) {
      inView = { from, to };
      void readAgain();
    },
    async read(keys, signal = ended.signal) {
      const found: Row[] = [];
      const missing = new Set(keys);
      for (const page of rows.peek().pages) {
        const own = keysOf(page);
        if (!own.some((key) => keys.has(key))) continue;
        const read = page.rows ?? (await readSome(page.start, Math.max(1, page.size), signal)).rows;
        found.push(...read.filter(({ key }) => missing.delete(key)));
      }
      // Pages are dropped when items come in before their end.
      found.push(...(await readEach(missing, signal)));
      return found;
    },
    replace(changes) {
      const present = rows.peek();
      const changed = replaceRows(present, changes);
      const removed = Array.from(changes.keys()).filter((key) => changes.get(key) === undefined);
      const unmatchedRemoved = removed.filter((key) => unmatched.peek().has(key));
      batch(() => {
        rows.value = changed;
        setUnmatched([...unmatched.peek()].filter((key) => !unmatchedRemoved.includes(key)));
        if (total.peek() !== undefined)
          total.value = (total.peek() ?? 0) - (present.length - changed.length - unmatchedRemoved.length);
      });
      // Whether one that is not loaded matched is not known.
      if (present.length - changed.length < removed.length) void count();
      void compare(Array.from(changes.keys()).filter((key) => changes.get(key) !== undefined));
    },
    refresh,
    close: () => ended.abort(),
  };
}
