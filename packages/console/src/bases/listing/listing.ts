import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { sideBySide } from '../../api/side-by-side.js';
import { countMatches } from '../base-api.js';
import { everything } from '../query/model.js';
import type { Row } from '../view/row.js';
import { isCurrent } from './is-current.js';
import { createReader, type ListReader } from './reader.js';
import type { ListingRequest } from './request.js';
import { keysAmong, keysOf, type LoadedPage, type Rows } from './rows.js';
import { createShownRun } from './shown-run.js';
import { createUnmatched } from './unmatched.js';
import { createViewReader, type ViewReader } from './view-reader.js';

/** The items of a base that match a query, in an order. One run of them is read: as far as it is shown, or around a jump. */
export interface Listing extends Pick<ViewReader, 'state' | 'failure' | 'isTooFar'> {
  readonly request: ListingRequest;
  /** Whether any row can be read at once. In another order only the ends are, and what follows them. */
  readonly readsAnywhere: boolean;
  readonly rows: ReadonlySignal<Rows>;
  /** The number of all matches, once it is known. */
  readonly total: ReadonlySignal<number | undefined>;
  /** The keys of rows that were changed here and do not match any more: they stay where they are until they are read again. */
  readonly unmatched: ReadonlySignal<ReadonlySet<string>>;
  /** What others have just done to rows, by their keys. */
  readonly elsewhere: Signal<ReadonlyMap<string, string>>;
  /** How often items were changed here: one that is shown and no row is read again then. */
  readonly changes: ReadonlySignal<number>;
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
/** Opens a listing and reads its first page. */
export function openListing(request: ListingRequest): Listing {
  const changed = signal(0);
  const elsewhere = signal<ReadonlyMap<string, string>>(new Map());
  const ended = new AbortController();
  const reader = createReader(request);
  const unmatched = createUnmatched(request, ended.signal);
  const run = createShownRun(request, unmatched);
  const { rows, total } = run;
  const show = (pages: readonly LoadedPage[], first: number) =>
    run.show(pages, first, onScreen.inView().from);
  const onScreen = createViewReader({ reader, rows, show, ended: ended.signal });
  const count = createCounting(request, ended.signal, (matching) => {
    batch(() => {
      run.count(matching);
      const { pages, first } = rows.peek();
      if (pages.length > 0) show(pages, first);
    });
  });

  /** Marks those of the changed items that do not match any more, and counts again. */
  async function compare(keys: ReadonlySet<string>): Promise<void> {
    if (keys.size === 0 || request.query === everything) return;
    const rowsOf = (some: ReadonlySet<string>) => keysAmong(rows.peek(), some);
    // An item that is not in the list may have been changed, too.
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
    const isEndCut = (rows.peek().pages.at(-1)?.size ?? 0) === 0;
    batch(() => {
      changed.value++;
      elsewhere.value = new Map();
      run.makeStale();
      if (isEndCut) onScreen.recover();
    });
    if (isEndCut) void onScreen.more();
    void onScreen.readAgain();
    void count();
  }

  function replace(changes: ReadonlyMap<string, Row | undefined>): void {
    const wereRows = batch(() => {
      changed.value++;
      return run.replace(changes);
    });
    // Whether one that is not loaded matched is not known.
    if (!wereRows) void count();
    void compare(new Set(Array.from(changes.keys()).filter((key) => changes.get(key) !== undefined)));
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
    read: (keys, signal = ended.signal) => readKeys({ reader, pages: rows.peek().pages }, keys, signal),
    replace,
    refresh,
    isCurrent(signal) {
      const view = onScreen.inView();
      const shown = { rows: rows.peek(), total: total.peek(), unmatched: unmatched.keys.peek() };
      return isCurrent({ request, reader, view, ...shown }, signal);
    },
    close() {
      onScreen.close();
      ended.abort();
    },
  };
}

/** Counts all matches. Of several counts only the one that was begun last says how many there are. */
function createCounting(
  { base, query }: ListingRequest,
  ended: AbortSignal,
  onCounted: (matching: number) => void,
): () => Promise<void> {
  let counts = 0;
  return async () => {
    const turn = ++counts;
    try {
      const counted = await countMatches(base, query, ended);
      if (turn === counts) onCounted(counted);
    } catch {
      // The number is an extra: the page shows why the items themselves cannot be read.
    }
  };
}

/** The items of keys. Those that are not among the pages, since they were selected in another part of the list, are read one by one. */
async function readKeys(
  { reader, pages }: { readonly reader: ListReader; readonly pages: readonly LoadedPage[] },
  keys: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly Row[]> {
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
  return [...found.flat(), ...(await reader.each([...elsewhere], signal))];
}
