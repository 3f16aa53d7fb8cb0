import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { isAborted } from '../../api/errors.js';
import { countMatches } from '../base-api.js';
import { everything } from '../query/model.js';
import type { Row } from '../row.js';
import { matchesOf } from './matching.js';
import { createReader } from './reader.js';
import type { ListingRequest } from './request.js';
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
import { isAtEnd, isToRead, placeAfter, placeBefore, placeRun, replacePage, sizeOf } from './run.js';
import { readRunAt } from './run-at.js';

/** The items of a base that match a query, in an order. One run of them is read: as far as it is shown, or around a jump. */
export interface Listing {
  readonly request: ListingRequest;
  readonly rows: ReadonlySignal<Rows>;
  readonly state: ReadonlySignal<'reading' | 'more' | 'complete' | 'failed'>;
  readonly failure: ReadonlySignal<unknown>;
  /** The number of all matches, once it is known. */
  readonly total: ReadonlySignal<number | undefined>;
  /** The keys of rows that were changed here and do not match any more: they stay where they are until they are read again. */
  readonly unmatched: ReadonlySignal<ReadonlySet<string>>;
  /** Whether the rows in view are too far from both ends to be read in this order. */
  readonly isTooFar: ReadonlySignal<boolean>;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /**
   * Says which rows are in view. Pages are read ahead of them, those that were released are read again, and those that
   * are far away are released. Where nothing is read, reading begins there once the view rests.
   */
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

/** The first page is small, so that it is there at once. */
const firstLimit = 100;
const limit = 500;
/** Rows ahead of the view at which the next page is asked for. */
const readAhead = 250;
/** Rows from the run within which it grows up to the view; farther away another run begins. */
const near = 1000;
/** Milliseconds for which a view without rows rests before they are read: a scrollbar is dragged through many. */
const restMs = 120;
/** Changed items of which each is compared with the query by itself. */
const maxCompared = 500;
/** Enough for any screen and some scrolling back. */
const budget: Budget = { rows: 20_000, characters: 16_000_000 };

/** Opens a listing and reads its first page. */
export function openListing(request: ListingRequest): Listing {
  const rows = signal<Rows>(createRows([]));
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('more');
  const failure = signal<unknown>(undefined);
  const total = signal<number | undefined>(undefined);
  const isTooFar = signal(false);
  const ended = new AbortController();
  const reader = createReader(request);
  const unmatched = signal<ReadonlySet<string>>(new Set());
  let inView = { from: 0, to: 0 };
  let isReadingAgain = false;
  /** Counts that were begun: only the last one says how many there are. */
  let counts = 0;
  let resting: ReturnType<typeof setTimeout> | undefined;
  const { base } = request;

  function fail(cause: unknown): void {
    if (isAborted(cause)) return;
    batch(() => {
      failure.value = cause;
      state.value = 'failed';
    });
  }

  /** All rows, if the number of all matches is that of the list. */
  const span = () => {
    const matching = total.peek();
    return request.from !== '' || matching === undefined ? 0 : matching + unmatched.peek().size;
  };

  /** Shows a run of pages. `first` is the number of its first row. */
  function show(pages: readonly LoadedPage[], first: number): void {
    batch(() => {
      const isWhole = isAtEnd(pages) && placeBefore(pages) === undefined;
      if (isWhole && request.from === '') total.value = sizeOf(pages) - unmatched.peek().size;
      const placed = placeRun(pages, first, span());
      const inRun = Math.max(placed.first, Math.min(inView.from, placed.first + placed.length - 1));
      rows.value = releaseFar(placed, placed.locate(inRun)?.page ?? 0, budget);
      if (state.peek() === 'more' || state.peek() === 'complete')
        state.value = isAtEnd(pages) ? 'complete' : 'more';
    });
  }

  /** Does one reading at a time. `step` gives what to show, from the pages that are there when it has read. */
  async function reading(step: () => Promise<() => void>): Promise<void> {
    if (state.peek() === 'reading') return;
    state.value = 'reading';
    try {
      const done = await step();
      batch(() => {
        state.value = 'more';
        done();
      });
    } catch (cause) {
      return fail(cause);
    }
    follow();
  }

  async function more(): Promise<void> {
    if (state.peek() === 'complete') return;
    await reading(async () => {
      const start = placeAfter(rows.peek().pages);
      const page = await reader.after(start, start === undefined ? firstLimit : limit, ended.signal);
      return () => {
        const { pages, first } = rows.peek();
        // The pages before may have changed meanwhile.
        if (placeAfter(pages) !== start || isAtEnd(pages)) return;
        show([...pages, pageOf(page.rows, { start, end: page.last })], first);
      };
    });
  }

  async function moreBefore(): Promise<void> {
    const from = placeBefore(rows.peek().pages);
    if (from === undefined) return;
    await reading(async () => {
      const { rows: found, next } = await reader.before(from, limit, ended.signal);
      return () => {
        const { pages, first } = rows.peek();
        const now = placeBefore(pages);
        if (now?.part !== from.part || now.last !== from.last) return;
        const page = pageOf(found, { start: undefined, end: undefined, backward: { from, next } });
        show([page, ...pages], first - found.length);
      };
    });
  }

  /** Begins another run where the view is: at an end of the list, or in its middle. */
  async function jump(): Promise<void> {
    const { from, to } = inView;
    const all = rows.peek().span;
    if (from > 0 && to < all && !reader.readsAnywhere) {
      isTooFar.value = true;
      return;
    }
    await reading(async () => {
      const { pages, first } = await readRunAt({ reader, view: inView, all, limit }, ended.signal);
      return () => show(pages, first);
    });
  }

  /** Reads what the view needs next. */
  function follow(): void {
    const { first, length, pages, span: all } = rows.peek();
    const end = first + length;
    const { from, to } = inView;
    const ahead = Math.min(readAhead, length / 2);
    clearTimeout(resting);
    isTooFar.value = false;
    if (state.peek() === 'reading' || length === 0 || to === 0) return;
    const isFar =
      from >= end + near || to <= first - near || (to >= all && from >= end) || (from === 0 && to <= first);
    if (isFar) resting = setTimeout(() => void jump(), restMs);
    else if (to + ahead > end && state.peek() === 'more') void more();
    else if (from - ahead < first && placeBefore(pages) !== undefined) void moreBefore();
  }

  /** Reads released and stale pages in view again, one at a time: meanwhile the view may have gone elsewhere. */
  async function readAgain(): Promise<void> {
    if (isReadingAgain) return;
    isReadingAgain = true;
    try {
      for (let page = toReadInView(); page !== undefined; page = toReadInView()) {
        const read = await reader.again(page, ended.signal);
        const next = replacePage(rows.peek(), page, read);
        // What was read matches, and what does not match is gone.
        const left = new Set(keysOf(page));
        batch(() => {
          setUnmatched([...unmatched.peek()].filter((key) => !left.has(key)));
          show(next.pages, next.first);
        });
      }
    } catch (cause) {
      fail(cause);
    }
    isReadingAgain = false;
    follow();
  }

  function toReadInView(): LoadedPage | undefined {
    const present = rows.peek();
    const end = present.first + present.length - 1;
    const first = present.locate(Math.max(present.first, Math.min(inView.from, end)))?.page;
    const last = present.locate(Math.max(present.first, Math.min(inView.to, end)))?.page;
    if (first === undefined || last === undefined) return undefined;
    return present.pages.slice(first, last + 1).find(isToRead);
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
    const { pages, first } = rows.peek();
    const isEndCut = (pages.at(-1)?.size ?? 0) === 0;
    batch(() => {
      rows.value = createRows(stalePages(pages), first, span());
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
      if (turn !== counts) return;
      batch(() => {
        total.value = counted;
        const { pages, first } = rows.peek();
        if (pages.length > 0) show(pages, first);
      });
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
    isTooFar,
    more,
    view(from, to) {
      inView = { from, to };
      void readAgain();
      follow();
    },
    async read(keys, signal = ended.signal) {
      const found: Row[] = [];
      const elsewhere = new Set(keys);
      for (const page of rows.peek().pages) {
        if (!keysOf(page).some((key) => keys.has(key))) continue;
        const { rows: read = [] } = page.rows === undefined ? await reader.again(page, signal) : page;
        found.push(...read.filter(({ key }) => keys.has(key)));
        for (const key of keysOf(page)) elsewhere.delete(key);
      }
      // Rows that were selected in another part of the list.
      return [...found, ...(await reader.each(elsewhere, signal))];
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
    close() {
      clearTimeout(resting);
      ended.abort();
    },
  };
}
