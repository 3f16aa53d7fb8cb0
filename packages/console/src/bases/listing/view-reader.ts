import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { isAborted } from '../../api/errors.js';
import type { ListReader } from './reader.js';
import { type LoadedPage, pageOf, type Rows } from './rows.js';
import { isAtEnd, isToRead, placeAfter, placeBefore, replacePage } from './run.js';
import { readRunAt } from './run-at.js';

export type ReadingState = 'reading' | 'more' | 'complete' | 'failed';

/** Reads the run of a listing as the view needs it: onwards in both directions, elsewhere, and again. */
export interface ViewReader {
  readonly state: ReadonlySignal<ReadingState>;
  readonly failure: ReadonlySignal<unknown>;
  /** Whether the rows in view are too far from both ends to be read in this order. */
  readonly isTooFar: ReadonlySignal<boolean>;
  /** Says which rows are in view, and reads what they need. */
  view(from: number, to: number): void;
  /** The rows in view. */
  inView(): { readonly from: number; readonly to: number };
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Reads released and stale pages in view again. */
  readAgain(): Promise<void>;
  /** Forgets a failure. */
  recover(): void;
  close(): void;
}

interface ViewReaderOptions {
  readonly reader: ListReader;
  readonly rows: ReadonlySignal<Rows>;
  /** Shows a run of pages. `first` is the number of its first row. */
  show(pages: readonly LoadedPage[], first: number): void;
  /** Ends the requests. */
  readonly ended: AbortSignal;
}

/** The first page is small, so that it is there at once. */
const firstLimit = 100;
const limit = 500;
/** Rows ahead of the view at which the next page is asked for: more than a second of turning the wheel. */
const readAhead = 300;
/** Rows from the run within which it grows up to the view; farther away another run begins. */
const near = 1000;
/** Milliseconds for which a view without rows rests before they are read: a scrollbar is dragged through many. */
const restMs = 120;

/** Reads nothing yet. */
export function createViewReader({ reader, rows, show, ended }: ViewReaderOptions): ViewReader {
  const phase = signal<'idle' | 'reading' | 'failed'>('idle');
  const failure = signal<unknown>(undefined);
  const isTooFar = signal(false);
  const state = computed<ReadingState>(() => {
    if (phase.value !== 'idle') return phase.value;
    return isAtEnd(rows.value.pages) ? 'complete' : 'more';
  });
  let inView = { from: 0, to: 0 };
  let isReadingAgain = false;
  let resting: ReturnType<typeof setTimeout> | undefined;

  function fail(cause: unknown): void {
    if (isAborted(cause)) return;
    batch(() => {
      failure.value = cause;
      phase.value = 'failed';
    });
  }

  /** Does one reading at a time. `step` gives what to show, from the pages that are there when it has read. */
  async function reading(step: () => Promise<() => void>): Promise<void> {
    if (phase.peek() === 'reading') return;
    phase.value = 'reading';
    try {
      const done = await step();
      batch(() => {
        phase.value = 'idle';
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
      const page = await reader.after(start, start === undefined ? firstLimit : limit, ended);
      return () => {
        const { pages, first } = rows.peek();
        // The pages before may have changed in the meantime.
        if (placeAfter(pages) !== start || isAtEnd(pages)) return;
        show([...pages, pageOf(page.rows, { start, end: page.last })], first);
      };
    });
  }

  async function moreBefore(): Promise<void> {
    const from = placeBefore(rows.peek().pages);
    if (from === undefined) return;
    await reading(async () => {
      const { rows: found, next } = await reader.before(from, limit, ended);
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
      const { pages, first } = await readRunAt({ reader, view: inView, all, limit }, ended);
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
    if (phase.peek() === 'reading' || length === 0 || to === 0) return;
    const isFar =
      from >= end + near || to <= first - near || (to >= all && from >= end) || (from === 0 && to <= first);
    if (isFar) resting = setTimeout(() => void jump(), restMs);
    else if (to + ahead > end && state.peek() !== 'complete') void more();
    else if (from - ahead < first && placeBefore(pages) !== undefined) void moreBefore();
  }

  /** One at a time: in the meantime the view may have gone elsewhere. */
  async function readAgain(): Promise<void> {
    if (isReadingAgain) return;
    isReadingAgain = true;
    try {
      for (let page = toReadInView(); page !== undefined; page = toReadInView()) {
        const read = await reader.again(page, ended);
        const next = replacePage(rows.peek(), page, read);
        show(next.pages, next.first);
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

  return {
    state,
    failure,
    isTooFar,
    view(from, to) {
      inView = { from, to };
      void readAgain();
      follow();
    },
    inView: () => inView,
    more,
    readAgain,
    recover() {
      if (phase.peek() === 'failed') phase.value = 'idle';
    },
    close: () => clearTimeout(resting),
  };
}
