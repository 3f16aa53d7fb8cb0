import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Row } from '../view/row.js';
import { isAtEnd, placeBefore, placeRun, sizeOf } from './loaded-run.js';
import type { ListingRequest } from './request.js';
import {
  type Budget,
  createRows,
  keysOf,
  type LoadedPage,
  type Rows,
  releaseFar,
  replaceRows,
  stalePages,
} from './rows.js';
import type { Unmatched } from './unmatched.js';

/** The run of a listing that is shown, and how many items match in all. */
export interface ShownRun {
  readonly rows: ReadonlySignal<Rows>;
  readonly total: ReadonlySignal<number | undefined>;
  /** Shows pages. `first` is the number of their first row. What is far from a row in view is released. */
  show(pages: readonly LoadedPage[], first: number, rowInView: number): void;
  /** Notes how many items match. */
  count(matching: number): void;
  /** Marks all pages as to be read again. */
  makeStale(): void;
  /** Replaces rows by their keys; undefined removes one. Gives whether all that it removes were rows. */
  replace(changes: ReadonlyMap<string, Row | undefined>): boolean;
}

/** Enough for any screen and some scrolling back. */
const budget: Budget = { rows: 20_000, characters: 16_000_000 };

/** Begins without a row. */
export function createShownRun(request: ListingRequest, unmatched: Unmatched): ShownRun {
  const rows = signal<Rows>(createRows([]));
  const total = signal<number | undefined>(undefined);
  const unmatchedCount = () => unmatched.keys.peek().size;

  /** All rows, if the number of all matches is that of the list. */
  const span = () => {
    const matching = total.peek();
    return request.from !== '' || matching === undefined ? 0 : matching + unmatchedCount();
  };

  return {
    rows,
    total,
    show(pages, first, rowInView) {
      batch(() => {
        if (unmatchedCount() > 0) {
          // What was read matches, and what is no row of this run any more has no mark.
          const kept = new Set(pages);
          unmatched.drop(rows.peek().pages.flatMap((page) => (kept.has(page) ? [] : keysOf(page))));
        }
        const isWhole = isAtEnd(pages) && placeBefore(pages) === undefined;
        if (isWhole && request.from === '') total.value = sizeOf(pages) - unmatchedCount();
        const placed = placeRun(pages, first, span());
        const inRun = Math.max(placed.first, Math.min(rowInView, placed.first + placed.length - 1));
        rows.value = releaseFar(placed, placed.locate(inRun)?.page ?? 0, budget);
      });
    },
    count(matching) {
      total.value = matching;
    },
    makeStale() {
      const { pages, first } = rows.peek();
      rows.value = createRows(stalePages(pages), first, span());
    },
    replace(changes) {
      const present = rows.peek();
      const replaced = replaceRows(present, changes);
      const removed = Array.from(changes.keys()).filter((key) => changes.get(key) === undefined);
      const gone = present.length - replaced.length;
      batch(() => {
        const before = unmatchedCount();
        unmatched.drop(removed);
        const matching = total.peek();
        rows.value = replaced;
        if (matching !== undefined) total.value = matching - (gone - (before - unmatchedCount()));
      });
      return gone >= removed.length;
    },
  };
}
