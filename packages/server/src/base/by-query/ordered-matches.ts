import type { TextRow } from '../../engines/item-store.js';
import { fromBestSource } from '../pages/choose-source.js';
import { readFirst } from '../pages/ordered-page.js';
import type { OrderedQuery } from '../query/query-body.js';
import type { Position, SortOrder } from '../query/sort-order.js';
import type { ChangeByQuery } from './by-query-body.js';
import { type MatchReading, type QueryTarget, readingOf } from './find-matches.js';

/**
 * The items that match, in an order: as many at a time as the limit of the change, of one moment. What others have
 * changed in the meantime is left out by whoever changes them, who then asks for the next ones.
 */
export async function* orderedMatches(
  reading: MatchReading,
  { space, client }: QueryTarget,
  { query, limit }: ChangeByQuery,
  order: SortOrder,
): AsyncGenerator<readonly TextRow[], void, undefined> {
  const { items, indexed, pages } = reading;
  const own = readingOf(reading, client, (read) => pages.run(space, query, read));
  const { range, required, conditions } = query;
  const wanted = { range, required, conditions, order, readsAll: false, isRepeated: false };
  let after: Position | undefined;
  for (;;) {
    const page: OrderedQuery = { ...query, ...plain, limit, order, after };
    const { kept, hasMore } = await fromBestSource({ ...own, space, items, indexed }, wanted, (source) =>
      readFirst(page, source, own),
    );
    yield kept;
    after = kept.at(-1);
    if (!hasMore || after === undefined) return;
  }
}

/** What only pages of queries have. */
const plain = { last: undefined, sort: 'asc', offset: 0, count: false, select: undefined } as const;
