import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { sideBySide } from '../../api/side-by-side.js';
import { countMatches } from '../base-api.js';
import { everything } from '../query/model.js';
import type { Row } from '../view/row.js';
import { isCurrent } from './is-current.js';
import { createReader } from './reader.js';
import type { ListingRequest } from './request.js';
import {
  type Budget,
  createRows,
  keysAmong,
  keysOf,
  type LoadedPage,
  type Rows,
  releaseFar,
  replaceRows,
  stalePages,
} from './rows.js';
import { isAtEnd, placeBefore, placeRun, sizeOf } from './run.js';
import { createUnmatched } from './unmatched.js';
import { createViewReader, type ReadingState } from './view-reader.js';

/** The items of a base that match a query, in an order. One run of them is read: as far as it is shown, or around a jump. */
export interface Listing {
  readonly request: ListingRequest;
  /** Whether any row can be read at once. In another order only the ends are, and what follows them. */
  readonly readsAnywhere: boolean;
  readonly rows: ReadonlySignal<Rows>;
  readonly state: ReadonlySignal<ReadingState>;
  readonly failure: ReadonlySignal<unknown>;
  /** The number of all matches, once it is known. */
  readonly total: ReadonlySignal<number | undefined>;
  /** The keys of rows that were changed here and do not match any more: they stay where they are until they are read again. */
  readonly unmatched: ReadonlySignal<ReadonlySet<string>>;
  /** What others have just done to rows, by their keys. */
  readonly elsewhere: Signal<ReadonlyMap<string, string>>;
  /** How often items were changed here: one that is shown and no row is read again then. */
  readonly changes: ReadonlySignal<number>;
  /** Whether the rows in view are too far from both ends to be read in this order. */
  readonly isTooFar: ReadonlySignal<boolean>;
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
  /** Whether the rows in view are as they are stored, as far as that is found out at little cost. */
  isCurrent(signal: AbortSignal): Promise<boolean>;
  /** Ends the requests in progress. */
  close(): void;
}

/** Changed rows that are compared with the query. More are read again. */
const maxCompared = 500;
/** Enough for any screen and some scrolling back. */
const budget: Budget = { rows: 20_000, characters: 16_000_000 };

/** Opens a listing and reads its first page. */
export function openListing(request: ListingRequest): Listing {
  const rows = signal<Rows>(createRows([]));
  const total = signal<number | undefined>(undefined);
  const changed = signal(0);
  const elsewhere = signal<ReadonlyMap<string, string>>(new Map());
  const ended = new AbortController();
  const reader = createReader(request);
  const unmatched = createUnmatched(request, ended.signal);
  const onScreen = createViewReader({ reader, rows, show, ended: ended.signal });
  /** Counts that were begun: only the last one says how many there are. */
  let counts = 0;
  const { base } = request;

  /** All rows, if the number of all matches is that of the list. */
  const span = () => {
    const matching = total.peek();
    return request.from !== '' || matching === undefined ? 0 : matching + unmatched.keys.peek().size;
  };

  /** Shows a run of pages. `first` is the number of its first row. */
  function show(pages: readonly LoadedPage[], first: number): void {
    batch(() => {
      if (unmatched.keys.peek().size > 0) {
        // What was read matches, and what is no row of this run any more has no mark.
        const kept = new Set(pages);
        unmatched.drop(rows.peek().pages.flatMap((page) => (kept.has(page) ? [] : keysOf(page))));
      }
      const isWhole = isAtEnd(pages) && placeBefore(pages) === undefined;
      if (isWhole && request.from === '') total.value = sizeOf(pages) - unmatched.keys.peek().size;
      const placed = placeRun(pages, first, span());
      const inView = onScreen.inView().from;
      const inRun = Math.max(placed.first, Math.min(inView, placed.first + placed.length - 1));
      rows.value = releaseFar(placed, placed.locate(inRun)?.page ?? 0, budget);
    });
  }

  /** Marks those of the changed items that do not match any more, and counts again. */
  async function compare(keys: ReadonlySet<string>): Promise<void> {
    if (keys.size === 0 || request.query === everything) return;
    const rowsOf = (some: ReadonlySet<string>) => keysAmong(rows.peek(), some);
    // An item that was changed beside the list is no row of it.
    const listed = rowsOf(keys);
    if (listed.size > maxCompared) return refresh();
    try {
      await unmatched.compare(listed, rowsOf);
    } catch {
      // The mark is an extra. What is stored is shown in any case.
    }
    void count();
  }

  function refresh(): void {
    const { pages, first } = rows.peek();
    const isEndCut = (pages.at(-1)?.size ?? 0) === 0;
    batch(() => {
      changed.value++;
      elsewhere.value = new Map();
      rows.value = createRows(stalePages(pages), first, span());
      if (isEndCut) onScreen.recover();
    });
    if (isEndCut) void onScreen.more();
    void onScreen.readAgain();
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

  void onScreen.more();
  void count();
  return {
    request,
    readsAnywhere: reader.readsAnywhere,
    rows,
    state: onScreen.state,
    failure: onScreen.failure,
    total,
    unmatched: unmatched.keys,
    elsewhere,
    changes: changed,
    isTooFar: onScreen.isTooFar,
    view: onScreen.view,
    async read(keys, signal = ended.signal) {
      const { pages } = rows.peek();
      const elsewhere = new Set(keys);
      const wanted = pages.filter((page) => {
        const own = keysOf(page).filter((key) => keys.has(key));
        for (const key of own) elsewhere.delete(key);
        return own.length > 0;
      });
      const found = await sideBySide(wanted, async (page) => {
        const { rows: read = [] } = page.rows === undefined ? await reader.again(page, signal) : page;
        return read.filter(({ key }) => keys.has(key));
      });
      // Rows that were selected in another part of the list.
      return [...found.flat(), ...(await reader.each([...elsewhere], signal))];
    },
    replace(changes) {
      const present = rows.peek();
      const replaced = replaceRows(present, changes);
      const removed = Array.from(changes.keys()).filter((key) => changes.get(key) === undefined);
      batch(() => {
        const before = unmatched.keys.peek().size;
        unmatched.drop(removed);
        const unmatchedRemoved = before - unmatched.keys.peek().size;
        changed.value++;
        rows.value = replaced;
        if (total.peek() !== undefined)
          total.value = (total.peek() ?? 0) - (present.length - replaced.length - unmatchedRemoved);
      });
      // Whether one that is not loaded matched is not known.
      if (present.length - replaced.length < removed.length) void count();
      void compare(new Set(Array.from(changes.keys()).filter((key) => changes.get(key) !== undefined)));
    },
    refresh,
    isCurrent: (signal) =>
      isCurrent(
        {
          request,
          reader,
          rows: rows.peek(),
          view: onScreen.inView(),
          total: total.peek(),
          unmatched: unmatched.keys.peek(),
        },
        signal,
      ),
    close() {
      onScreen.close();
      ended.abort();
    },
  };
}
