import type { RereadableBody } from '../../http/requests/bodies/rereadable-body.js';
import type { Rows } from '../indexes/reading/row-source.js';
import type { OrderedQuery, Query } from '../query/query-body.js';
import { type BaseReading, fromBestSource, withLongRows } from './choose-source.js';
import { createItemList } from './item-list.js';
import { matchesOf } from './matches-of.js';
import { readOrderedPage } from './ordered-page.js';
import { type Page, pageRows, readPage } from './page.js';
import type { PageScheduler } from './page-scheduler.js';
import { readPageSync } from './synchronous-page.js';

/** Reads one page of a query (docs/http.md#pages) when its turn comes. The cost of a long query is added to `cost`. */
export async function readQuery(
  reading: Omit<BaseReading, 'turn'>,
  pages: PageScheduler,
  body: RereadableBody<Query>,
): Promise<Page> {
  const { space, items, clock, isAbandoned } = reading;
  const release = () => body.release();
  const { page, willBeLong, conditions } = begin(await body.read(), reading);
  if (page !== undefined) return page;
  if (willBeLong) {
    return pages.runLong(
      space,
      async (turn) => readLongPage(await body.read(), { ...reading, turn }),
      release,
    );
  }
  const read = async () => {
    const query = await body.read();
    return readPage(pageRows(items, space, query), query, { clock, isAbandoned });
  };
  return pages.run(space, { conditions }, read, release);
}

/** The page, if all of it is in memory. Otherwise what decides when it is read: the query itself need not be kept until then. */
function begin(query: Query, reading: Omit<BaseReading, 'turn'>) {
  const page = readPageSync(query, reading);
  return { page, willBeLong: isLong(query), conditions: query.conditions };
}

/** Whether a query may read more than one page of rows. */
export function isLong({ order, offset, count }: Query): boolean {
  return order !== undefined || offset > 0 || count;
}

/**
 * Reads the page of a query with `order`, `offset` or `count` (docs/http.md#ordered-queries,
 * docs/http.md#offset-and-total).
 */
function readLongPage(query: Query, reading: BaseReading): Promise<Page> {
  return isOrdered(query) ? readByOrder(query, reading) : readCountedPage(query, reading);
}

function isOrdered(query: Query): query is OrderedQuery {
  return query.order !== undefined;
}

async function readByOrder(query: OrderedQuery, reading: BaseReading): Promise<Page> {
  const wanted = { ...query, readsAll: query.count, isRepeated: query.offset > 0 };
  return await fromBestSource(reading, wanted, (source) => readOrderedPage(query, source, reading));
}

/** Reads a page in the order of the keys. It begins after the last match that the offset skips. */
async function readCountedPage(query: Query, reading: BaseReading): Promise<Page> {
  const { items, space } = reading;
  const { offset } = query;
  let { last } = query;
  const skipping = { left: offset };
  if (offset > 0) {
    const range = { ...query.range, reverse: query.sort === 'desc' };
    await withLongRows({ items, space, range, isRepeated: false }, async (rows) => {
      for await (const found of matchesOf(rows(), query, reading, skipping)) {
        skipping.left -= found.length;
        last = found.at(-1)?.key ?? last;
      }
    });
  }
  const from: Query = { ...query, last, offset: 0 };
  const page =
    skipping.left === 0
      ? await readPage(pageRows(items, space, from), from, reading)
      : { items: createItemList(), last: undefined };
  if (!query.count) return page;
  // If the page has all matches, they need not be counted again.
  const isAll = query.last === undefined && page.last === undefined;
  return {
    ...page,
    total: isAll ? offset - skipping.left + page.items.count : await countAll(query, reading),
  };
}

function countAll(query: Query, reading: BaseReading): Promise<number> {
  const wanted = { ...query, order: undefined, readsAll: true, isRepeated: false };
  return fromBestSource(reading, wanted, async ({ total, rows }) => total ?? (await countMatches(rows())));

  async function countMatches(rows: Rows): Promise<number> {
    let total = 0;
    for await (const found of matchesOf(rows, query, reading)) total += found.length;
    return total;
  }
}
