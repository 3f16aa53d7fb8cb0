import { batch, signal } from '@preact/signals';
import type { FileOrder } from 'basedrive-client';
import { isAborted } from '../../api/errors.js';
import { client } from '../../api/session.js';
import { type Entry, readEntry } from '../entry.js';
import { entryOf, markedFolders, withMarked } from '../folders/markers.js';
import { type FolderChange, type FolderListing, openFolder } from './folder-listing.js';

export interface FolderWish {
  /** `size`, or `-size` downwards; empty: by name. */
  readonly order: string;
  /** A text that the names have somewhere, also below folders of this one; empty: all names of the folder itself. */
  readonly find: string;
}

type Order = FileOrder | `-${FileOrder}`;

/** The first page is small, so that it is there at once; List Files gives at most 1,000 (docs/http.md#list-files). */
const firstLimit = 200;
const limit = 1000;

/** The order after a click on a column: upwards, downwards, and by name again. */
export function nextFileOrder(order: string, column: string): string {
  if (column === 'name') return order === '' ? '-name' : '';
  if (order === column) return `-${column}`;
  return order === `-${column}` ? '' : column;
}

/** Opens the listing of a folder in the order that is wished, or of what is found in it and below it. */
export function openListing(drive: string, folder: string, wish: FolderWish): FolderListing {
  if (wish.order === '' && wish.find === '') return openFolder(drive, folder);
  return openOrdered(drive, folder, wish);
}

/** The service keeps the order, so the place of a stored file is not known here: what is shown is then read again. */
function openOrdered(drive: string, folder: string, { order, find }: FolderWish): FolderListing {
  const entries = signal<readonly Entry[]>([]);
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('more');
  const failure = signal<unknown>(undefined);
  const ended = new AbortController();
  let found: readonly Entry[] = [];
  const marked = markedFolders(drive, folder, ended.signal);
  let last: string | undefined;
  let queue = Promise.resolve();

  async function readPage(from: string | undefined, count: number) {
    const page = await client()
      .Drive(drive)
      .list({
        prefix: folder,
        details: true,
        limit: count,
        recursive: find !== '',
        signal: ended.signal,
        ...(find === '' ? {} : { contains: find }),
        ...(order === '' ? {} : { order: order as Order }),
        ...(from === undefined ? {} : { last: from }),
      });
    return { found: (page.files ?? []).map((file) => readEntry(file, folder)), next: page.paging?.last };
  }

  function enqueue(step: () => Promise<void>): Promise<void> {
    const done = queue.then(step);
    queue = done.catch(() => {});
    return done;
  }

  function follow(all: readonly Entry[], next: string | undefined): void {
    batch(() => {
      found = all;
      show();
      last = next;
      state.value = next === undefined ? 'complete' : 'more';
    });
  }

  /** Folders come first in every order. What is looked for is looked for among files. */
  function show(): void {
    entries.value = withMarked(found, marked, folder, { isDown: order === '-name' });
  }

  async function more(): Promise<void> {
    if (state.peek() === 'reading' || state.peek() === 'complete') return;
    state.value = 'reading';
    await enqueue(async () => {
      const [page] = await Promise.all([
        readPage(last, last === undefined ? firstLimit : limit),
        find === '' ? marked.readTo(undefined) : undefined,
      ]);
      follow([...found, ...page.found], page.next);
    }).catch((cause) => {
      if (isAborted(cause)) return;
      batch(() => {
        failure.value = cause;
        state.value = 'failed';
      });
    });
  }

  /** Reads as many entries as there are now. */
  async function readAgain(): Promise<void> {
    const wanted = Math.max(firstLimit, found.length);
    const all: Entry[] = [];
    let next: string | undefined;
    do {
      const page = await readPage(next, limit);
      all.push(...page.found);
      next = page.next;
    } while (next !== undefined && all.length < wanted);
    follow(all, next);
  }

  async function update({ gone = [], stored = [] }: FolderChange): Promise<void> {
    const left = new Set(gone);
    await enqueue(async () => {
      if (left.size > 0) {
        found = found.filter(({ name }) => !left.has(name));
        marked.remove(left);
        show();
      }
      for (const name of stored)
        if (find === '' && isFolderIn(folder, name)) await marked.look(entryOf(name, folder));
      if (stored.some((name) => name.startsWith(folder))) await readAgain();
    }).catch((cause) => {
      if (!isAborted(cause)) throw cause;
    });
  }

  void more();
  return { folder, entries, state, failure, more, update, close: () => ended.abort() };
}

/** Whether a name is that of a folder in another one, or below one in it. */
function isFolderIn(folder: string, name: string): boolean {
  return name.endsWith('/') && name !== folder && name.startsWith(folder);
}
