import type { ItemStore, TextRow } from '../../engines/item-store.js';
import type { Client } from '../../http/memory/buffer-budget.js';
import type { RereadableBody } from '../../http/requests/bodies/rereadable-body.js';
import type { Clock } from '../../lib/clock.js';
import type { Semaphore } from '../../lib/concurrency/semaphore.js';
import { itemRange } from '../indexes/entries/entries.js';
import type { IndexedReading } from '../indexes/reading/indexed-reading.js';
import type { Rows } from '../indexes/reading/row-source.js';
import { asked, fromBestSource } from '../pages/choose-source.js';
import { matchesOf, type ReadCost, type Reading } from '../pages/matches-of.js';
import { readFirst } from '../pages/ordered-page.js';
import type { PageScheduler } from '../pages/page-scheduler.js';
import { textBatches } from '../pages/text-batches.js';
import type { Criteria, OrderedQuery } from '../query/query-body.js';
import type { Position, SortOrder } from '../query/sort-order.js';
import type { ChangeByQuery } from './by-query-body.js';

export interface MatchReading {
  readonly items: ItemStore;
  readonly clock: Clock;
  readonly pages: PageScheduler;
  readonly indexed: IndexedReading;
}

/** The base, and the client that asks: when it leaves, the work ends with an error. */
export interface QueryTarget {
  readonly space: string;
  readonly client: Client;
}

/** All items that match, batch by batch. Each batch has a scan of its own: others may write while the caller works. */
export function allMatches(
  reading: MatchReading,
  { space, client }: QueryTarget,
  criteria: Criteria,
  cost: ReadCost = { items: 0, bytes: 0 },
): Rows {
  const { items, pages } = reading;
  const rows = textBatches(
    { items, space, range: criteria.range },
    (read) => pages.run(space, criteria, read),
    (batch) => batch,
  );
  return matchesOf(rows, criteria, { ...readingOf(reading, client, (read) => read()), cost });
}

/**
 * The same for a caller that only computes over the items. They come from one scan, so they are of one moment, unless that
 * would hold a connection. With a scan for each batch, a count of 100,000 items took 1.35 × the processor time: each leaves
 * an iterator with its rows to the garbage collector.
 */
export function scannedMatches(
  reading: MatchReading,
  target: QueryTarget,
  criteria: Criteria,
  own: Reading,
): Rows {
  const { items } = reading;
  if (items.momentsAtOnce !== undefined) return allMatches(reading, target, criteria, own.cost);
  return matchesOf(
    items.scanText(target.space, { ...itemRange(criteria.range), isLong: true }),
    criteria,
    own,
  );
}

/** How many items match, or `limit` if there are more. */
export async function countMatches(
  reading: MatchReading,
  target: QueryTarget,
  criteria: Criteria,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { space, client } = target;
  const own = readingOf(reading, client, (read) => reading.pages.run(space, criteria, read));
  const wanted = asked({ ...criteria, order: undefined, readsAll: true }, own);
  const byIndex = await reading.indexed.use(space, wanted, async ({ total, rows }) => {
    if (total !== undefined) return Math.min(total, limit);
    return await countIn(matchesOf(rows(), criteria, own), limit);
  });
  return byIndex ?? (await countIn(scannedMatches(reading, target, criteria, own), limit));
}

/**
 * What `work` gives for a body, when it is its turn: a bad request is refused at once, and a large body is forgotten while it
 * waits.
 */
export async function whenAdmitted<Body, T>(
  turn: Semaphore,
  body: RereadableBody<Body>,
  work: (body: Body) => Promise<T>,
): Promise<T> {
  await body.read();
  return await turn(
    async () => await work(await body.read()),
    () => body.release(),
  );
}

export function readingOf({ clock }: MatchReading, client: Client, turn: Reading['turn']): Reading {
  return { clock, turn, isAbandoned: () => client.isAbandoned, cost: { items: 0, bytes: 0 } };
}

async function countIn(matching: AsyncIterable<readonly TextRow[]>, limit: number): Promise<number> {
  let total = 0;
  for await (const found of matching) {
    total += found.length;
    if (total >= limit) return limit;
  }
  return total;
}

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
  const wanted = { ...query, order, readsAll: false, isRepeated: false };
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
