import { compareNames } from '../../api/name-order.js';
import type { Entry } from '../entry.js';
import { entryOf, type MarkedFolders, markedFolders, withMarked } from '../folders/markers.js';
import { createPages, type ListingPages, maxLimit, type ReadPage, readFiles } from './listing-pages.js';

/** What has happened to a folder, as far as this page knows. */
export interface FolderChange {
  /** Names of entries that are not there any more. */
  readonly gone?: readonly string[];
  /** Names of files that were stored, also below folders of this one and elsewhere; and of folders that came or went. */
  readonly stored?: readonly string[];
}

/** What a folder holds, read as far as it is shown. */
export interface FolderListing extends Pick<ListingPages, 'entries' | 'state' | 'failure'> {
  readonly folder: string;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Follows a change: reads what is new, and little else. Changes that come together are read together. */
  update(change: FolderChange): Promise<void>;
  /** Ends the requests in progress. */
  close(): void;
}

/** Opens the listing of a folder of a drive in the order of names, and reads its first page. */
export function openFolder(drive: string, folder: string): FolderListing {
  const ended = new AbortController();
  const { signal } = ended;
  const marked = markedFolders(drive, folder, { signal });
  const pages = createPages(marked, (found, last) => withMarked(found, marked, folder, { last }));
  const read: ReadPage = (after, limit) =>
    readFiles(drive, folder, after, { recursive: false, limit, signal });
  const pending = new Set<string>();

  return createListing(pages, {
    folder,
    ended,
    async readNext(after, limit) {
      // Most folders have few folders, so one page of them is all.
      const [page] = await Promise.all([
        read(after, limit),
        marked.readTo(after === '' ? `${folder}\u{1}` : after),
      ]);
      await marked.readTo(page.next);
      return page;
    },
    update({ gone = [], stored = [] }) {
      for (const name of stored) if (name.startsWith(folder)) pending.add(entryOf(name, folder));
      return pages.update(gone, () => readPending(pending, { folder, pages, marked, read }));
    },
  });
}

/** Entries that are known already, and rather read again than left out with another request. */
const knownPerRequest = 50;

interface ListingParts extends Pick<FolderListing, 'folder' | 'update'> {
  readonly readNext: ReadPage;
  /** Ends the requests in progress. */
  readonly ended: AbortController;
}

/** The listing of what these pages show. Its first page is on its way. */
export function createListing(pages: ListingPages, parts: ListingParts): FolderListing {
  const { folder, readNext, update, ended } = parts;
  const { entries, state, failure } = pages;
  const more = () => pages.more(readNext);
  void more();
  return { folder, entries, state, failure, more, update, close: () => ended.abort() };
}

interface Opened {
  readonly folder: string;
  readonly pages: ListingPages;
  readonly marked: MarkedFolders;
  readonly read: ReadPage;
}

/**
 * Reads the part of the folder in which a stored entry belongs, and with it all that are there. `pending`: the entries
 * that were stored and are not read yet.
 */
async function readPending(pending: Set<string>, { folder, pages, marked, read }: Opened): Promise<void> {
  for (const name of [...pending].sort(compareNames)) {
    if (!pending.delete(name)) continue;
    if (name.endsWith('/') && name !== folder) await marked.look(name);
    const all = pages.found();
    const at = placeOf(all, name);
    if (pages.isToCome(name)) continue;
    const page = await read(all[at - 1]?.name ?? '', limitFor(pending, all, at));
    for (const { name: one, file } of page.found) if (file !== undefined) pending.delete(one);
    const before = [...all.slice(0, at), ...page.found];
    if (page.next === undefined) pages.take(before, undefined);
    else pages.replace([...before, ...all.slice(placeOf(all, page.next, true))]);
  }
}

/** The size of a page that has all that is pending from a place on, unless too much that is known lies between. */
function limitFor(pending: ReadonlySet<string>, all: readonly Entry[], at: number): number {
  let last = at;
  for (const name of pending) last = Math.max(last, placeOf(all, name, true));
  const between = last - at;
  return Math.min(maxLimit, pending.size + 1 + (between <= knownPerRequest * pending.size ? between : 0));
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
