import { createItemList } from './item-list.js';
import { forEachMatch, type LongQuery } from './matching.js';
import { readOrderedPage } from './ordered-page.js';
import { type Page, readPage } from './page.js';
import type { Query } from './query/query-body.js';

/** Whether a query may read more than one page of rows. */
export function isLong({ order, offset, count }: Query): boolean {
  return order !== undefined || offset > 0 || count;
}

/**
 * Reads the page of a query with `order`, `offset` or `count` (docs/http.md#ordered-queries,
 * docs/http.md#offset-and-total).
 */
export function readLongPage(query: Query, reader: LongQuery): Promise<Page> {
  return query.order === undefined
    ? readCountedPage(query, reader)
    : readOrderedPage(query, query.order, reader);
}

/** Reads a page in the order of the keys. It begins after the last match that the offset skips. */
async function readCountedPage(query: Query, reader: LongQuery): Promise<Page> {
  let passed = 0;
  let last = query.last;
  const { offset } = query;
  if (offset > 0) {
    const rows = reader.scan({ ...query.range, reverse: query.sort === 'desc' });
    await forEachMatch(rows, query, reader, ({ key }) => {
      last = key;
      return ++passed === offset;
    });
  }
  const hasPage = passed === offset;
  const from: Query = { ...query, last, offset: 0 };
  const page = hasPage
    ? await readPage(reader.scanPage(from), from, reader)
    : { items: createItemList(), last: undefined };
  if (!query.count) return page;
  // If the page has all matches, they need not be counted again.
  const isAll = query.last === undefined && page.last === undefined;
  return { ...page, total: isAll ? passed + page.items.count : await countMatches(query, reader) };
}

async function countMatches(query: Query, reader: LongQuery): Promise<number> {
  let total = 0;
  await forEachMatch(reader.scan(query.range), query, reader, () => {
    total++;
    return false;
  });
  return total;
}
