import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { isAborted } from '../../api/errors.js';
import { limit, type RunReading, readAfter, readBefore } from './extend-run.js';
import { isAtEnd, replacePage } from './loaded-run.js';
import { readRunAt } from './run-at.js';
import { type InView, neededBy, pageToRead } from './view-needs.js';

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
  inView(): InView;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Reads released and stale pages in view again. */
  readAgain(): Promise<void>;
  /** Forgets a failure. */
  recover(): void;
  close(): void;
}

/** Milliseconds for which a view without rows rests before they are read: a scrollbar is dragged through many. */
const restMs = 120;

/** Reads nothing yet. */
export function createViewReader(reading: RunReading): ViewReader {
  const { reader, rows, show, ended } = reading;
  const turn = createTurn();
  const isTooFar = signal(false);
  const state = computed<ReadingState>(() => {
    if (turn.phase.value !== 'idle') return turn.phase.value;
    return isAtEnd(rows.value.pages) ? 'complete' : 'more';
  });
  let inView: InView = { from: 0, to: 0 };
  let isReadingAgain = false;
  let resting: ReturnType<typeof setTimeout> | undefined;

  async function read(step: () => Promise<() => void>): Promise<void> {
    if (await turn.take(step)) follow();
  }

  async function more(): Promise<void> {
    if (state.peek() !== 'complete') await read(() => readAfter(reading));
  }

  /** Begins another run where the view is: at an end of the list, or in its middle. */
  async function jump(): Promise<void> {
    const { from, to } = inView;
    const all = rows.peek().span;
    if (from > 0 && to < all && !reader.readsAnywhere) {
      isTooFar.value = true;
      return;
    }
    await read(async () => {
      const { pages, first } = await readRunAt({ reader, view: inView, all, limit }, ended);
      return () => show(pages, first);
    });
  }

  /** Reads what the view needs next. */
  function follow(): void {
    clearTimeout(resting);
    isTooFar.value = false;
    if (turn.phase.peek() === 'reading') return;
    const needed = neededBy(inView, rows.peek(), state.peek() === 'complete');
    if (needed === 'elsewhere') resting = setTimeout(() => void jump(), restMs);
    else if (needed === 'after') void more();
    else if (needed === 'before') void read(() => readBefore(reading));
  }

  /** One at a time: in the meantime the view may have gone elsewhere. */
  async function readAgain(): Promise<void> {
    if (isReadingAgain) return;
    isReadingAgain = true;
    const next = () => pageToRead(inView, rows.peek());
    try {
      for (let page = next(); page !== undefined; page = next()) {
        const read = await reader.again(page, ended);
        const run = replacePage(rows.peek(), page, read);
        show(run.pages, run.first);
      }
    } catch (cause) {
      turn.fail(cause);
    }
    isReadingAgain = false;
    follow();
  }

  return {
    state,
    failure: turn.failure,
    isTooFar,
    view(from, to) {
      inView = { from, to };
      void readAgain();
      follow();
    },
    inView: () => inView,
    more,
    readAgain,
    recover: turn.recover,
    close: () => clearTimeout(resting),
  };
}

/** Lets one reading begin at a time, and keeps why one has failed. */
function createTurn() {
  const phase = signal<'idle' | 'reading' | 'failed'>('idle');
  const failure = signal<unknown>(undefined);

  function fail(cause: unknown): void {
    if (isAborted(cause)) return;
    batch(() => {
      failure.value = cause;
      phase.value = 'failed';
    });
  }

  return {
    phase,
    failure,
    fail,
    /** `step` gives what to show, from the pages that are there when it has read. Gives whether it was read. */
    async take(step: () => Promise<() => void>): Promise<boolean> {
      if (phase.peek() === 'reading') return false;
      phase.value = 'reading';
      try {
        const done = await step();
        batch(() => {
          phase.value = 'idle';
          done();
        });
        return true;
      } catch (cause) {
        fail(cause);
        return false;
      }
    },
    recover() {
      if (phase.peek() === 'failed') phase.value = 'idle';
    },
  };
}
