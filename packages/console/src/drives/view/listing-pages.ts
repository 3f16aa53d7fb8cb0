import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { ListOptions } from 'basedrive-client';
import { isAborted } from '../../api/errors.js';
import { compareNames } from '../../api/name-order.js';
import { client } from '../../api/session.js';
import { type Entry, readEntry } from '../entry.js';
import type { MarkedFolders } from '../folders/markers.js';

export interface Page {
  readonly found: readonly Entry[];
  /** The name after which more follow, or undefined. */
  readonly next: string | undefined;
}

/** Reads a page after a name; the empty one is before all others. */
export type ReadPage = (after: string, limit: number) => Promise<Page>;

/** What of a folder is read, page by page, and shown. */
export interface ListingPages {
  readonly entries: ReadonlySignal<readonly Entry[]>;
  readonly state: ReadonlySignal<'reading' | 'more' | 'complete' | 'failed'>;
  readonly failure: ReadonlySignal<unknown>;
  /** What files make: those of the folder, and folders that have files. */
  found(): readonly Entry[];
  /** Whether a page that is not read yet will have a name, if names are in order. */
  isToCome(name: string): boolean;
  /** Takes all entries up to `next`, or to the end of the folder. */
  take(all: readonly Entry[], next: string | undefined): void;
  /** Takes other entries as far as it is read. They are shown when the update ends. */
  replace(all: readonly Entry[]): void;
  /** Reads the next page, unless one is on its way. */
  more(read: ReadPage): Promise<void>;
  /** Removes entries, and then does a step that reads what is new. */
  update(gone: readonly string[], step: () => Promise<void>): Promise<void>;
}

/** The first page is small, so that it is there at once; List Files gives at most 1,000 (docs/http.md#list-files). */
export const firstLimit = 200;
export const maxLimit = 1000;

/**
 * The pages of a folder, none of which is read yet. `arranged` gives what is shown of what was found up to a name, or to
 * the end. Steps run one after the other, so that none overwrites what another has read.
 */
export function createPages(
  marked: MarkedFolders,
  arranged: (found: readonly Entry[], end: string | undefined) => readonly Entry[],
): ListingPages {
  const entries = signal<readonly Entry[]>([]);
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('more');
  const failure = signal<unknown>(undefined);
  let found: readonly Entry[] = [];
  /** The name up to which the entries are read; undefined: all are. */
  let end: string | undefined = '';
  let queue = Promise.resolve();

  function enqueue(step: () => Promise<void>): Promise<void> {
    const done = queue.then(step).catch((cause) => {
      if (!isAborted(cause)) throw cause;
    });
    queue = done.catch(() => {});
    return done;
  }

  function show(): void {
    entries.value = arranged(found, end);
  }

  function take(all: readonly Entry[], next: string | undefined): void {
    batch(() => {
      found = all;
      end = next;
      show();
      state.value = next === undefined ? 'complete' : 'more';
    });
  }

  return {
    entries,
    state,
    failure,
    found: () => found,
    isToCome: (name) => end !== undefined && compareNames(name, end) > 0,
    take,

    replace(all) {
      found = all;
    },

    async more(read) {
      if (state.peek() === 'complete' || state.peek() === 'reading') return;
      state.value = 'reading';
      await enqueue(async () => {
        // An update may have come to the end.
        if (end === undefined) return;
        const page = await read(end, end === '' ? firstLimit : maxLimit);
        take([...found, ...page.found], page.next);
      }).catch((cause) =>
        batch(() => {
          failure.value = cause;
          state.value = 'failed';
        }),
      );
    },

    update(gone, step) {
      const left = new Set(gone);
      return enqueue(async () => {
        if (left.size > 0) {
          found = found.filter(({ name }) => !left.has(name));
          marked.remove(left);
          show();
        }
        await step();
        show();
      });
    },
  };
}

/** Reads a page of the files of a folder, with their details. */
export async function readFiles(
  drive: string,
  folder: string,
  after: string,
  options: Omit<ListOptions, 'prefix' | 'last'>,
): Promise<Page> {
  const last = after === '' ? undefined : after;
  const page = await client()
    .Drive(drive)
    .list({ ...options, last, prefix: folder, details: true });
  return { found: (page.files ?? []).map((file) => readEntry(file, folder)), next: page.paging?.last };
}
