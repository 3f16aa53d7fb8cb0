import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { isAborted } from '../../api/errors.js';
import { compareNames } from '../../api/name-order.js';
import { client } from '../../api/session.js';
import { type Entry, readEntry } from '../entry.js';
import { entryOf, markedFolders, withMarked } from '../folders/markers.js';

/** What has happened to a folder, as far as this page knows. */
export interface FolderChange {
  /** Names of entries that are not there any more. */
  readonly gone?: readonly string[];
  /** Names of files that were stored, also below folders of this one and elsewhere; and of folders that came or went. */
  readonly stored?: readonly string[];
}

/** What a folder holds, read as far as it is shown. */
export interface FolderListing {
  readonly folder: string;
  readonly entries: ReadonlySignal<readonly Entry[]>;
  readonly state: ReadonlySignal<'reading' | 'more' | 'complete' | 'failed'>;
  readonly failure: ReadonlySignal<unknown>;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Follows a change: reads what is new, and little else. Changes that come together are read together. */
  update(change: FolderChange): Promise<void>;
  /** Ends the requests in progress. */
  close(): void;
}

/** The first page is small, so that it is there at once; List Files gives at most 1,000 (docs/http.md#list-files). */
const firstLimit = 200;
const limit = 1000;

interface Page {
  readonly found: readonly Entry[];
  /** The name after which more follow, or undefined. */
  readonly next: string | undefined;
}

/** Opens the listing of a folder of a drive in the order of names, and reads its first page. */
export function openFolder(drive: string, folder: string): FolderListing {
  const entries = signal<readonly Entry[]>([]);
  /** What files make: those of the folder, and folders that have files. */
  let found: readonly Entry[] = [];
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('more');
  const failure = signal<unknown>(undefined);
  const ended = new AbortController();
  const marked = markedFolders(drive, folder, ended.signal);
  /** The name up to which the entries are read; undefined before the first page. */
  let last: string | undefined;
  let isComplete = false;
  /** Entries that were stored and are not read yet. */
  const pending = new Set<string>();
  /** One request after the other, so that none overwrites what another has read. */
  let queue = Promise.resolve();

  async function readPage(from: string | undefined, count: number): Promise<Page> {
    const page = await client()
      .Drive(drive)
      .list({
        prefix: folder,
        recursive: false,
        details: true,
        limit: count,
        signal: ended.signal,
        ...(from === undefined ? {} : { last: from }),
      });
    return { found: (page.files ?? []).map((file) => readEntry(file, folder)), next: page.paging?.last };
  }

  function show(): void {
    entries.value = withMarked(found, marked, folder, { last: isComplete ? undefined : (last ?? '') });
  }

  function enqueue(step: () => Promise<void>): Promise<void> {
    const done = queue.then(step);
    queue = done.catch(() => {});
    return done;
  }

  async function more(): Promise<void> {
    if (isComplete || state.peek() === 'reading') return;
    state.value = 'reading';
    await enqueue(async () => {
      // Most folders have few folders, so one page of them is all.
      const [page] = await Promise.all([
        readPage(last, last === undefined ? firstLimit : limit),
        marked.readTo(last ?? `${folder}\u{1}`),
      ]);
      await marked.readTo(page.next);
      batch(() => follow([...found, ...page.found], page.next));
    }).catch((cause) => {
      if (isAborted(cause)) return;
      batch(() => {
        failure.value = cause;
        state.value = 'failed';
      });
    });
  }

  /** Takes all entries up to `next`, or to the end of the folder. */
  function follow(all: readonly Entry[], next: string | undefined): void {
    found = all;
    last = next;
    isComplete = next === undefined;
    show();
    state.value = isComplete ? 'complete' : 'more';
  }

  /** Reads the part of the folder in which a stored entry belongs, and with it all that are there. */
  async function readPending(): Promise<void> {
    for (const name of pending) {
      pending.delete(name);
      if (name.endsWith('/') && name !== folder) await marked.look(name);
      const all = found;
      const at = placeOf(all, name);
      // The next page will have it.
      if (!isComplete && (last === undefined || compareNames(name, last) > 0)) continue;
      const { found: read, next } = await readPage(all[at - 1]?.name, Math.min(limit, pending.size + 1));
      for (const { name: one, file } of read) if (file !== undefined) pending.delete(one);
      const before = [...all.slice(0, at), ...read];
      if (next === undefined) batch(() => follow(before, undefined));
      else found = [...before, ...all.slice(placeOf(all, next, true))];
    }
  }

  async function update({ gone = [], stored = [] }: FolderChange): Promise<void> {
    for (const name of stored) if (name.startsWith(folder)) pending.add(entryOf(name, folder));
    const left = new Set(gone);
    await enqueue(async () => {
      if (left.size > 0) {
        found = found.filter(({ name }) => !left.has(name));
        marked.remove(left);
        show();
      }
      await readPending();
      show();
    }).catch((cause) => {
      if (!isAborted(cause)) throw cause;
    });
  }

  void more();
  return { folder, entries, state, failure, more, update, close: () => ended.abort() };
}

/** Reads all pages that follow, as long as somebody wants them. */
export async function readAll(listing: FolderListing): Promise<void> {
  while (listing.state.peek() === 'more' || listing.state.peek() === 'reading') {
    const before = listing.entries.peek();
    if (listing.state.peek() === 'more') await listing.more();
    // Another request reads a page.
    else await listing.update({});
    // The listing was closed.
    if (listing.state.peek() === 'reading' && listing.entries.peek() === before) return;
  }
}

/** The index at which a name belongs; with `isAfter`, after an entry of this name. */
function placeOf(entries: readonly Entry[], name: string, isAfter = false): number {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const order = compareNames(entries[middle]?.name ?? '', name);
    if (order < 0 || (isAfter && order === 0)) from = middle + 1;
    else to = middle;
  }
  return from;
}
