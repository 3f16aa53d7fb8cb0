import type { FileOrder } from 'basedrive-client';
import type { Entry } from '../entry.js';
import { markedFolders, withMarked } from '../folders/markers.js';
import { createListing, type FolderListing, openFolder } from './folder-listing.js';
import {
  createPages,
  firstLimit,
  type ListingPages,
  maxLimit,
  type Page,
  type ReadPage,
  readFiles,
} from './listing-pages.js';

export interface FolderWish {
  /** `size`, or `-size` downwards; empty: by name. */
  readonly order: string;
  /** A text that the names have somewhere, also below folders of this one; empty: all names of the folder itself. */
  readonly find: string;
}

type Order = FileOrder | `-${FileOrder}`;

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
  const ended = new AbortController();
  const { signal } = ended;
  const marked = markedFolders(drive, folder, { signal, find });
  // Folders come first in every order.
  const pages = createPages(marked, (found) =>
    withMarked(found, marked, folder, { isDown: order === '-name' }),
  );
  const contains = find === '' ? undefined : find;
  const wish = {
    recursive: find !== '',
    contains,
    order: order === '' ? undefined : (order as Order),
    signal,
  };
  const read: ReadPage = (after, limit) => readFiles(drive, folder, after, { ...wish, limit });

  return createListing(pages, {
    folder,
    ended,
    async readNext(after, limit) {
      const [page] = await Promise.all([read(after, limit), marked.readTo(undefined)]);
      return page;
    },
    update: ({ gone = [], stored = [] }) =>
      pages.update(gone, async () => {
        for (const name of stored) if (isFolderIn(folder, name)) await marked.look(name);
        if (stored.some((name) => name.startsWith(folder))) await readAgain(pages, read);
      }),
  });
}

/** Reads as many entries as there are now. */
async function readAgain(pages: ListingPages, read: ReadPage): Promise<void> {
  const wanted = Math.max(firstLimit, pages.found().length);
  const all: Entry[] = [];
  let next: string | undefined = '';
  do {
    const page: Page = await read(next, maxLimit);
    all.push(...page.found);
    next = page.next;
  } while (next !== undefined && all.length < wanted);
  pages.take(all, next);
}

/** Whether a name is that of a folder in another one, or below one in it. */
function isFolderIn(folder: string, name: string): boolean {
  return name.endsWith('/') && name !== folder && name.startsWith(folder);
}
