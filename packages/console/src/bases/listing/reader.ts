import { sideBySide } from '../../api/side-by-side.js';
import { type Page, type PageRequest, readItem, readPage } from '../base-api.js';
import { splitOrder } from '../order.js';
import { withExistence } from '../query/existence.js';
import { fromKey } from '../query/key-range.js';
import type { Row } from '../view/row.js';
import type { ListingRequest } from './request.js';
import { type Backward, type LoadedPage, pageOf } from './rows.js';

export interface PageBefore {
  /** In the order of the list. */
  readonly rows: readonly Row[];
  /** Where the page before it is read; undefined at the start of the list. */
  readonly next: Backward | undefined;
}

/** Reads the pages of a list from both ends, and in the order of keys from any row. */
export interface ListReader {
  /** Whether a page in the middle can be read. In another order the service would read everything many times. */
  readonly readsAnywhere: boolean;
  after(last: string | undefined, limit: number, signal: AbortSignal): Promise<Page>;
  /** The page before a place; undefined for the end of the list. */
  before(from: Backward | undefined, limit: number, signal: AbortSignal): Promise<PageBefore>;
  /** The page from a row on, and the key before it. */
  at(row: number, limit: number, signal: AbortSignal): Promise<Page & { readonly start: string | undefined }>;
  /** A page as it is now. */
  again(page: LoadedPage, signal: AbortSignal): Promise<LoadedPage>;
  /** The items of keys, without those that are gone. */
  each(keys: readonly string[], signal: AbortSignal): Promise<readonly Row[]>;
}

export function createReader(request: ListingRequest): ListReader {
  const { base, order, isDescending } = request;
  const query = fromKey(request.query, request.from, isDescending);
  const asked = { query, order, isDescending };
  const { name, isDescending: isDownwards } = splitOrder(order[0] ?? '');

  /** A page may be empty although others follow: the service reads a bounded amount for each. */
  async function readSome(page: PageRequest, signal: AbortSignal): Promise<Page> {
    for (let { last } = page; ; ) {
      const found = await readPage(base, { ...page, last }, signal);
      if (found.rows.length > 0 || found.last === undefined) return found;
      last = found.last;
    }
  }

  /** The reversed query of a part; undefined if nothing can be in it. */
  function reversed(part: Backward['part']): Omit<PageRequest, 'limit'> | undefined {
    if (order.length === 0) return part === 'with' ? { ...asked, isDescending: !isDescending } : undefined;
    const narrowed = withExistence(query, name, part === 'with');
    if (narrowed === undefined) return undefined;
    return { query: narrowed, order: [isDownwards ? name : `-${name}`], isDescending: true };
  }

  const reader: ListReader = {
    readsAnywhere: order.length === 0 && request.from === '',
    after: (last, limit, signal) => readSome({ ...asked, limit, last }, signal),
    async before(from, limit, signal) {
      const { part, last } = from ?? { part: 'without', last: undefined };
      const page = reversed(part);
      const found = page === undefined ? undefined : await readSome({ ...page, limit, last }, signal);
      const rows = found?.rows.toReversed() ?? [];
      if (found?.last !== undefined) return { rows, next: { part, last: found.last } };
      const next: Backward | undefined = part === 'without' ? { part: 'with', last: undefined } : undefined;
      return rows.length > 0 || next === undefined ? { rows, next } : reader.before(next, limit, signal);
    },
    async at(row, limit, signal) {
      const page = await readPage(base, { ...asked, limit: limit + 1, offset: row - 1 }, signal);
      const [first, ...rows] = page.rows;
      return { rows, last: page.last, start: first?.key };
    },
    async again(page, signal) {
      const size = Math.max(1, page.size);
      if (page.backward !== undefined) {
        const { from } = page.backward;
        const { rows, next } = await reader.before(from, size, signal);
        return pageOf(rows, { start: undefined, end: undefined, backward: { from, next } });
      }
      const { rows, last } = await reader.after(page.start, size, signal);
      return pageOf(rows, { start: page.start, end: last });
    },
    async each(keys, signal) {
      const found = await sideBySide(keys, (key) => readItem(base, key, signal));
      return found.filter((row) => row !== undefined);
    },
  };
  return reader;
}
