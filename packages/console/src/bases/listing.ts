import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { isAborted } from '../api/errors.js';
import { countMatches, readPage } from './base-api.js';
import type { Row } from './row.js';

/** The items of a base that match a query, in an order, read as far as they are shown. */
export interface Listing {
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly state: ReadonlySignal<'reading' | 'more' | 'complete' | 'failed'>;
  readonly failure: ReadonlySignal<unknown>;
  /** The number of all matches, once it is known. */
  readonly total: ReadonlySignal<number | undefined>;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Replaces rows that were changed, by their keys; undefined removes one. */
  replace(changes: ReadonlyMap<string, Row | undefined>): void;
  /** Adds a row at the start, where a new item is seen. */
  prepend(row: Row): void;
  /** Ends the requests in progress. */
  close(): void;
}

export interface ListingRequest {
  readonly base: string;
  /** The query as JSON text. */
  readonly query: string;
  readonly order: readonly string[];
  readonly isDescending: boolean;
}

/** The first page is small, so that it is there at once. */
const firstLimit = 100;
const limit = 500;

/** Opens a listing and reads its first page. */
export function openListing(request: ListingRequest): Listing {
  const rows = signal<readonly Row[]>([]);
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('more');
  const failure = signal<unknown>(undefined);
  const total = signal<number | undefined>(undefined);
  const ended = new AbortController();
  let last: string | undefined;

  async function more(): Promise<void> {
    if (state.peek() === 'reading' || state.peek() === 'complete') return;
    state.value = 'reading';
    const wanted = rows.peek().length === 0 ? firstLimit : limit;
    try {
      // A page may be empty although others follow: the service reads a bounded amount for each.
      do {
        const page = await readPage(request.base, { ...request, limit: wanted, last }, ended.signal);
        last = page.last;
        if (page.rows.length === 0 && last !== undefined) continue;
        batch(() => {
          rows.value = [...rows.peek(), ...page.rows];
          state.value = last === undefined ? 'complete' : 'more';
          if (last === undefined) total.value = rows.peek().length;
        });
      } while (state.peek() === 'reading');
    } catch (cause) {
      if (isAborted(cause)) return;
      batch(() => {
        failure.value = cause;
        state.value = 'failed';
      });
    }
  }

  async function count(): Promise<void> {
    try {
      const counted = await countMatches(request.base, request.query, ended.signal);
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
    replace(changes) {
      const kept = rows.peek().flatMap((row) => {
        if (!changes.has(row.key)) return [row];
        const changed = changes.get(row.key);
        return changed === undefined ? [] : [changed];
      });
      const removed = rows.peek().length - kept.length;
      batch(() => {
        rows.value = kept;
        if (total.peek() !== undefined) total.value = (total.peek() ?? 0) - removed;
      });
    },
    prepend(row) {
      batch(() => {
        rows.value = [row, ...rows.peek().filter(({ key }) => key !== row.key)];
        if (total.peek() !== undefined) total.value = (total.peek() ?? 0) + 1;
      });
    },
    close: () => ended.abort(),
  };
}
