import type { Change, ItemStore, Put, TextRow } from '../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { runInSlices, type Steps } from '../../lib/time-slices.js';
import { abandoned, RequestError } from '../../request-error.js';
import { isExpired } from '../expiry.js';
import type { Item } from '../item.js';
import { matches, rowsPerStep } from '../matching.js';
import type { PageScheduler } from '../page-scheduler.js';
import type { ItemCondition } from '../query/item-condition.js';
import type { RowTransactions } from '../row-transactions.js';
import { textBatches } from '../text-batches.js';
import type { Alive, TransactionOperation } from '../transaction-operation.js';
import { applyUpdate } from '../update.js';
import type { Update } from '../update-body.js';
import type { SetChange, SetQuery } from './set-body.js';

export interface SetOperationsParts {
  readonly items: ItemStore;
  readonly alive: Alive;
  readonly rowOf: (item: Item) => Put;
  readonly clock: Clock;
  readonly pages: PageScheduler;
  readonly rowTransactions: RowTransactions;
}

/** Why an item was left as it is. */
export interface FailedItem {
  readonly key: string;
  readonly errors: readonly string[];
}

export interface SetResult {
  /** Items that were deleted or updated; of a dry run, those that match. */
  readonly changed: number;
  /** The first of those that match and could not be updated. */
  readonly failed: readonly FailedItem[];
  readonly failedCount: number;
}

/** What one query does to all items that match it (docs/http.md#sets). All of them end early when the client leaves. */
export interface SetOperations {
  count(space: string, query: SetQuery, isAbandoned: () => boolean): Promise<number>;
  remove(space: string, change: SetChange, isAbandoned: () => boolean): Promise<SetResult>;
  update(space: string, change: SetChange, update: Update, isAbandoned: () => boolean): Promise<SetResult>;
}

/** A match as it was read, and what is to become of it. */
interface Prepared {
  readonly key: string;
  readonly stored: Buffer;
  readonly next: Item | 'deleted';
}

/** How an operation changes one item. */
interface Effect {
  /** What becomes of a match. Throws the `RequestError` of an item to which it cannot be applied. */
  readonly next: (stored: Buffer) => Steps<Item | 'deleted'>;
  /** The same as an operation that judges the item itself. */
  readonly operation: (key: string) => TransactionOperation;
}

/** Changes at a time: each holds a batch. */
const changesAtOnce = 4;
/** What one transaction changes at most; its last item may be beyond the bytes. */
const maxBatchItems = 500;
const maxBatchBytes = 512 * 1024;
const maxReported = 100;

/**
 * Items are read, judged and changed outside the engine's transaction, which blocks others. Within it, what is still the
 * same byte by byte is replaced: what was true of it is true. The few that others have changed in between are judged and
 * changed one by one, each in a transaction of its own.
 */
export function createSetOperations(parts: SetOperationsParts): SetOperations {
  const { items, alive, rowOf, clock, pages, rowTransactions } = parts;
  const changes = createSemaphore(() => changesAtOnce);

  /** The matches of a batch of rows. */
  function* judge(rows: readonly TextRow[], query: SetQuery): Steps<TextRow[]> {
    const now = nowSeconds(clock);
    const found: TextRow[] = [];
    for (const [index, row] of rows.entries()) {
      if (index % rowsPerStep === 0) yield;
      if (isExpired(row.text, now)) continue;
      const matching = matches(query, row.text);
      if (typeof matching === 'boolean' ? matching : yield* matching) found.push(row);
    }
    return found;
  }

  async function* matchesOf(
    space: string,
    query: SetQuery,
    isAbandoned: () => boolean,
  ): AsyncGenerator<TextRow[], void, undefined> {
    const rows = textBatches(items, space, query.range, (read) => pages.run(query, read));
    for await (const batch of rows) {
      if (isAbandoned()) throw abandoned();
      yield await runInSlices(judge(batch, query));
    }
  }

  /** Replaces what is unchanged. Gives the keys of the others that still exist. */
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
    { query, limit, isDryRun }: SetChange,
    effect: Effect,
    isAbandoned: () => boolean,
  ): Promise<SetResult> {
    if (isDryRun)
      return { changed: await count(space, query, isAbandoned, limit), failed: [], failedCount: 0 };
    const failed: FailedItem[] = [];
    let failedCount = 0;
    let changed = 0;
    let batch: Prepared[] = [];
    let bytes = 0;

    const fail = (key: string, errors: readonly string[]) => {
      failedCount++;
      if (failed.length < maxReported) failed.push({ key, errors });
    };
    const flush = async () => {
      if (batch.length === 0) return;
      if (isAbandoned()) throw abandoned();
      const others = await replace(space, batch);
      changed += batch.length - others.length;
      batch = [];
      bytes = 0;
      for (const key of others) {
        const outcome = await changeOne(space, effect.operation(key));
        if (outcome === 'changed') changed++;
        else if (outcome !== 'no match') fail(key, outcome);
      }
    };

    for await (const found of matchesOf(space, query, isAbandoned)) {
      for (const { key, text } of found) {
        if (changed + batch.length === limit) await flush();
        if (changed === limit) return { changed, failed, failedCount };
        const stored = Buffer.from(text);
        try {
          const next = await runInSlices(effect.next(stored));
          batch.push({ key, stored, next });
          bytes += stored.length + (next === 'deleted' ? 0 : next.json.length);
        } catch (cause) {
          if (!(cause instanceof RequestError)) throw cause;
          fail(key, cause.messages);
        }
        if (batch.length === maxBatchItems || bytes >= maxBatchBytes) await flush();
      }
    }
    await flush();
    return { changed, failed, failedCount };
  }

  /** Why it fails, if it does although the item matches. */
  async function changeOne(
    space: string,
    operation: TransactionOperation,
  ): Promise<'changed' | 'no match' | readonly string[]> {
    try {
      const failure = await rowTransactions.run(space, [operation]);
      if (failure === undefined) return 'changed';
      const { status, messages } = failure.error;
      return status === 404 || status === 412 ? 'no match' : messages;
    } catch (cause) {
      // Others change it all the time.
      if (cause instanceof RequestError) return cause.messages;
      throw cause;
    }
  }

  async function count(
    space: string,
    query: SetQuery,
    isAbandoned: () => boolean,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    let total = 0;
    for await (const found of matchesOf(space, query, isAbandoned)) {
      total += found.length;
      if (total >= limit) return limit;
    }
    return total;
  }

  return {
    count,

    remove(space, change, isAbandoned) {
      const condition = conditionOf(change.query);
      return changes(() => {
        const operation = (key: string) => ({ kind: 'delete', key, condition }) as const;
        return run(space, change, { next: deleted, operation }, isAbandoned);
      });
    },

    update(space, change, { operations, members, bodyBytes }, isAbandoned) {
      const update: Update = { condition: conditionOf(change.query), operations, members, bodyBytes };
      return changes(() => {
        const operation = (key: string) => ({ kind: 'update', key, update }) as const;
        const next = (stored: Buffer) => applyUpdate(stored, update);
        return run(space, change, { next, operation }, isAbandoned);
      });
    },
  };
}

// biome-ignore lint/correctness/useYield: it is over before a first pause.
function* deleted(): Steps<'deleted'> {
  return 'deleted';
}

/** The query as a condition on one item of its range. */
function conditionOf({ filter, conditions }: SetQuery): ItemCondition {
  if (filter === undefined) return { conditions, matches: every };
  return { conditions, matches: (item) => filter.matchesInSteps(item) };
}

// biome-ignore lint/correctness/useYield: it is over before a first pause.
function* every(): Steps<boolean> {
  return true;
}
