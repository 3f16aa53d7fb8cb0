import type { Query } from '../query/query-body.js';
import type { SortOrder } from '../query/sort-order.js';
import { createItemList } from './item-list.js';
import { forEachMatch, type LongQuery, type Rows } from './matching.js';
import { readOrderedPage, readPageInOrder } from './ordered-page.js';
import { type Page, readPage } from './page.js';

/** Whether a query may read more than one page of rows. */
export function isLong({ order, offset, count }: Query): boolean {
  return order !== undefined || offset > 0 || count;
}

/**
 * Reads the page of a query with `order`, `offset` or `count` (docs/http.md#ordered-queries,
 * docs/http.md#offset-and-total).
 */
export function readLongPage(query: Query, reader: LongQuery): Promise<Page> {
  return query.order === undefined ? readCountedPage(query, reader) : readByOrder(query, query.order, reader);
}

async function readByOrder(query: Query, order: SortOrder, reader: LongQuery): Promise<Page> {
  const { required, conditions, count } = query;
  const wanted = { required, conditions, order, readsAll: count };
  const page = await reader.useIndex(wanted, async ({ name, total, inOrder, rows, all }) => {
    const readRest: LongQuery = { ...reader, scan: rows ?? all };
    const found =
      inOrder === undefined
        ? await readOrderedPage(query, order, readRest)
        : await readPageInOrder(query, order, inOrder(query.after, wantedBy(query)), readRest);
    reader.cost.index = name;
    return { ...found, total: total ?? found.total };
  });
  if (page !== undefined) return page;
  // Without an offset, the range is read once.
  if (query.offset === 0) return await readOrderedPage(query, order, reader);
  return await reader.atOneMoment((scan) => readOrderedPage(query, order, { ...reader, scan }));
}

/** A match after the page shows that there is a next one. */
function wantedBy({ offset, limit = Number.POSITIVE_INFINITY }: Query): number {
  return offset + limit + 1;
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
  return { ...page, total: isAll ? passed + page.items.count : await countAll(query, reader) };
}

async function countAll(query: Query, reader: LongQuery): Promise<number> {
  const { required, conditions } = query;
  const wanted = { required, conditions, order: undefined, readsAll: true };
  const counted = await reader.useIndex(wanted, async ({ name, total, rows, all }) => {
    const found = total ?? (await countMatches((rows ?? all)(), query, reader));
    reader.cost.index = name;
    return found;
  });
  return counted ?? (await countMatches(reader.scan(query.range), query, reader));
}

async function countMatches(rows: Rows, query: Query, reader: LongQuery): Promise<number> {
  let total = 0;
  await forEachMatch(rows, query, reader, () => {
    total++;
    return false;
  });
  return total;
}
