import type { Change, ItemStore, Put, TextRow } from '../../engines/item-store.js';
import type { BufferBudget, Client } from '../../http/memory/buffer-budget.js';
import { runInRoom } from '../../http/memory/value-room.js';
import type { Asked } from '../../http/requests/bodies/asked.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { type Schedule, scheduled } from '../../lib/concurrency/scheduled.js';
import { createSemaphore, createSemaphores } from '../../lib/concurrency/semaphore.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { Abandoned, errorsOf, type Problem, RequestError } from '../../request-error.js';
import type { IndexedReading } from '../indexes/indexed-reading.js';
import { isTextRowExpired } from '../items/expiry.js';
import type { Item } from '../items/item.js';
import type { PageScheduler } from '../pages/page-scheduler.js';
import { textBatches } from '../pages/text-batches.js';
import { whileWanted } from '../pages/while-wanted.js';
import type { ItemCondition } from '../query/item-condition.js';
import { matches, rowsPerStep } from '../query/matches.js';
import type { Alive, TransactionOperation } from '../transactions/transaction-operation.js';
import type { TransactionRunner } from '../transactions/transaction-runner.js';
import { applyUpdate } from '../updates/update.js';
import type { Update } from '../updates/update-body.js';
import type { ChangeByQuery, Criteria, UpdateByQuery } from './by-query-body.js';

export interface ByQueryDependencies {
  readonly items: ItemStore;
  readonly alive: Alive;
  readonly rowOf: (item: Item) => Put;
  readonly clock: Clock;
  readonly pages: PageScheduler;
  readonly transactions: TransactionRunner;
  readonly indexed: IndexedReading;
  /** Counts the values that stored items become. */
  readonly values: BufferBudget;
}

/** An item that was not changed, and why. */
export interface FailedItem extends ReturnType<typeof errorsOf> {
  readonly key: string;
}

export interface ByQueryResult {
  /** The number of items that were deleted or updated; in a dry run, of those that match. */
  readonly changed: number;
  /** The first items that match but could not be updated. */
  readonly failed: readonly FailedItem[];
  readonly failedCount: number;
}

/**
 * The operations on all items that match a query (docs/http.md#sets). Each waits for its turn, and ends early if the
 * client closes the connection.
 */
export interface ByQuery {
  count(space: string, asked: Asked<Criteria>, client: Client): Promise<number>;
  remove(space: string, asked: Asked<ChangeByQuery>, client: Client): Promise<ByQueryResult>;
  update(space: string, asked: Asked<UpdateByQuery>, client: Client): Promise<ByQueryResult>;
}

/** A match as it was read, and the item that replaces it. */
interface Prepared {
  readonly key: string;
  readonly stored: Buffer;
  readonly next: Item | 'deleted';
}

/** How an operation changes one item. */
interface Effect {
  /**
   * Gives the item that replaces a match, or that it is deleted. Throws a `RequestError` if the item cannot be changed
   * this way.
   */
  readonly next: (stored: Buffer) => Steps<Item | 'deleted'>;
  /** The same change as an operation of a transaction, which checks the item itself. */
  readonly operation: (key: string) => TransactionOperation;
}

/** The maximum number of operations by query that change items at once: each holds a batch. */
const changesAtOnce = 4;
/** The maximum number of counts at once, of all projects and of one: each holds the rows that it has read last. */
const countsAtOnce = 16;
const countsOfProject = 4;
/** The maximum size of one transaction. Its last item may exceed the number of bytes. */
const maxBatchItems = 500;
const maxBatchBytes = 512 * 1024;
export const maxReported = 100;

/**
 * Items are read, compared with the query and changed outside the engine's transaction, because that transaction blocks
 * others. Within it, items that are still the same byte by byte are replaced: they still match. Concurrent writes
 * change few items in between. Each of those is compared and changed again in a transaction of its own.
 */
export function createByQuery(dependencies: ByQueryDependencies): ByQuery {
  const { items, alive, rowOf, clock, pages, transactions, indexed, values } = dependencies;
  const changes = createSemaphore(() => changesAtOnce);
  const counts = createSemaphore(() => countsAtOnce);
  const ownCounts = createSemaphores(countsOfProject);

  /** Gives the matches of a batch of rows. */
  function* judge(rows: readonly TextRow[], query: Criteria): Steps<TextRow[]> {
    const now = nowSeconds(clock);
    const found: TextRow[] = [];
    for (const [index, row] of rows.entries()) {
      if (index % rowsPerStep === 0) yield;
      if (isTextRowExpired(row, now)) continue;
      const matching = matches(query, row.text);
      if (typeof matching === 'boolean' ? matching : yield* matching) found.push(row);
    }
    return found;
  }

  async function* matchesOf(
    space: string,
    query: Criteria,
    client: Client,
  ): AsyncGenerator<TextRow[], void, undefined> {
    yield* matchesIn(
      textBatches(items, space, query.range, (read) => pages.run(query, read)),
      query,
      client,
    );
  }

  async function* matchesIn(
    rows: AsyncIterable<readonly TextRow[]>,
    query: Criteria,
    client: Client,
  ): AsyncGenerator<TextRow[], void, undefined> {
    const room = whileWanted(() => client.isAbandoned);
    for await (const batch of rows) {
      room.check();
      yield await runInSlices(judge(batch, query), room);
    }
  }

  /** Replaces the items that are unchanged. Resolves to the keys of the others that still exist. */
  async function replace(space: string, batch: readonly Prepared[]): Promise<readonly string[]> {
    const keys = batch.map(({ key }) => key);
    return await items.transact(space, keys, (rows): Change<string[]> => {
      const puts: Put[] = [];
      const deletes: string[] = [];
      const others: string[] = [];
      for (const [index, { key, stored, next }] of batch.entries()) {
        const row = alive(rows[index]);
        if (row === undefined || !row.equals(stored)) others.push(key);
        else if (next === 'deleted') deletes.push(key);
        else puts.push(rowOf(next));
      }
      return { puts, deletes, result: others };
    });
  }

  async function run(
    space: string,
    { query, limit, isDryRun }: ChangeByQuery,
    effect: Effect,
    client: Client,
  ): Promise<ByQueryResult> {
    if (isDryRun) return { changed: await count(space, query, client, limit), failed: [], failedCount: 0 };
    const room = whileWanted(() => client.isAbandoned);
    const failed: FailedItem[] = [];
    let failedCount = 0;
    let changed = 0;
    let batch: Prepared[] = [];
    let bytes = 0;

    const fail = (key: string, problems: readonly Problem[]) => {
      failedCount++;
      if (failed.length < maxReported) failed.push({ key, ...errorsOf(problems) });
    };
    const flush = async () => {
      if (batch.length === 0) return;
      room.check();
      const others = await replace(space, batch);
      changed += batch.length - others.length;
      batch = [];
      bytes = 0;
      for (const key of others) {
        const outcome = await changeOne(space, effect.operation(key), client);
        if (outcome === 'changed') changed++;
        else if (outcome !== 'no match') fail(key, outcome);
      }
    };

    for await (const found of matchesOf(space, query, client)) {
      for (const { key, text } of found) {
        if (changed + batch.length === limit) await flush();
        if (changed === limit) return { changed, failed, failedCount };
        const stored = Buffer.from(text);
        try {
          const next = await runInRoom(values, client, effect.next(stored));
          batch.push({ key, stored, next });
          bytes += stored.length + (next === 'deleted' ? 0 : next.json.length);
        } catch (cause) {
          if (!(cause instanceof RequestError) || cause.status !== 400 || cause instanceof Abandoned)
            throw cause;
          fail(key, cause.problems);
        }
        if (batch.length === maxBatchItems || bytes >= maxBatchBytes) await flush();
      }
    }
    await flush();
    return { changed, failed, failedCount };
  }

  /**
   * Changes one item if it matches. Resolves to what is wrong if the item matches but cannot be changed.
   */
  async function changeOne(
    space: string,
    operation: TransactionOperation,
    client: Client,
  ): Promise<'changed' | 'no match' | readonly Problem[]> {
    try {
      const failure = await transactions.run(space, [operation], client);
      if (failure === undefined) return 'changed';
      const { status, problems } = failure.error;
      return status === 404 || status === 412 ? 'no match' : problems;
    } catch (cause) {
      // Concurrent writes changed the item again and again.
      if (cause instanceof RequestError && !(cause instanceof Abandoned)) return cause.problems;
      throw cause;
    }
  }

  async function count(
    space: string,
    query: Criteria,
    client: Client,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    const { range, required, conditions } = query;
    const turn: Schedule = (next) => pages.run(query, next);
    const { check } = whileWanted(() => client.isAbandoned);
    const wanted = { range, required, conditions, order: undefined, readsAll: true, turn, check };
    const byIndex = await indexed.use(space, wanted, async ({ total, rows, all }) => {
      if (total !== undefined) return Math.min(total, limit);
      return await countIn(matchesIn(scheduled((rows ?? all)(), turn), query, client), limit);
    });
    return byIndex ?? (await countIn(matchesOf(space, query, client), limit));
  }

  return {
    async count(space, asked, client) {
      // A bad query is refused at once.
      await asked.read();
      const rest = () => asked.rest();
      const run = async () => await count(space, await asked.read(), client);
      return await ownCounts(client.project)(() => counts(run, rest), rest);
    },

    async remove(space, asked, client) {
      return await changes(
        async () => {
          const change = await asked.read();
          const condition = conditionOf(change.query);
          const operation = (key: string) => ({ kind: 'delete', key, condition }) as const;
          return await run(space, change, { next: deleted, operation }, client);
        },
        () => asked.rest(),
      );
    },

    async update(space, asked, client) {
      return await changes(
        async () => {
          const { change, update: members } = await asked.read();
          const update: Update = { ...members, condition: conditionOf(change.query) };
          const operation = (key: string) => ({ kind: 'update', key, update }) as const;
          const next = (stored: Buffer) => applyUpdate(stored, update);
          return await run(space, change, { next, operation }, client);
        },
        () => asked.rest(),
      );
    },
  };
}

async function countIn(matching: AsyncIterable<readonly TextRow[]>, limit: number): Promise<number> {
  let total = 0;
  for await (const found of matching) {
    total += found.length;
    if (total >= limit) return limit;
  }
  return total;
}

// biome-ignore lint/correctness/useYield: it is over before a first pause.
function* deleted(): Steps<'deleted'> {
  return 'deleted';
}

/** Gives the query as a condition on a single item of its range. */
function conditionOf({ filter, conditions }: Criteria): ItemCondition {
  if (filter === undefined) return { conditions, matches: every };
  return { conditions, matches: (item) => filter.matchesInSteps(item) };
}

// biome-ignore lint/correctness/useYield: it is over before a first pause.
function* every(): Steps<boolean> {
  return true;
}
