import type { Change, ItemStore, Put } from '../../engines/item-store.js';
import type { BufferBudget } from '../../http/memory/buffer-budget.js';
import { runInRoom } from '../../http/memory/value-room.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { Abandoned, errorsOf, type Problem, RequestError } from '../../request-error.js';
import type { Item } from '../items/item.js';
import { rowOf } from '../items/item-row.js';
import { whileWanted } from '../pages/while-wanted.js';
import type { Alive, TransactionOperation } from '../transactions/transaction-operation.js';
import type { TransactionRunner } from '../transactions/transaction-runner.js';
import type { ChangeByQuery } from './by-query-body.js';
import { type AskedBase, allMatches, type MatchReading } from './matches.js';

export interface MatchChanging extends MatchReading {
  readonly items: ItemStore;
  readonly alive: Alive;
  readonly transactions: TransactionRunner;
  /** Counts the values that stored items become. */
  readonly values: BufferBudget;
}

/** How an operation changes one item. */
export interface Effect {
  /**
   * Gives the item that replaces a match, or that it is deleted. Throws a `RequestError` if the item cannot be changed
   * this way.
   */
  readonly next: (stored: Buffer) => Steps<Item | 'deleted'>;
  /** The same change as an operation of a transaction, which checks the item itself. */
  readonly operation: (key: string) => TransactionOperation;
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

/** A match as it was read, and the item that replaces it. */
interface Prepared {
  readonly key: string;
  readonly stored: Buffer;
  readonly next: Item | 'deleted';
}

/** The maximum size of one transaction. Its last item may exceed the number of bytes. */
const maxBatchItems = 500;
const maxBatchBytes = 512 * 1024;
export const maxReported = 100;

/**
 * Changes what matches, up to the limit. Items are read, compared with the query and changed outside the engine's
 * transaction, because that transaction blocks others. Within it, items that are still the same byte by byte are
 * replaced: they still match. Concurrent writes change few items in between. Each of those is compared and changed again
 * in a transaction of its own.
 */
export async function changeMatches(
  changing: MatchChanging,
  asked: AskedBase,
  { query, limit }: ChangeByQuery,
  effect: Effect,
): Promise<ByQueryResult> {
  const changes = new Changes(changing, asked, effect);
  for await (const found of allMatches(changing, asked, query)) {
    for (const { key, text } of found) {
      if (changes.changed + changes.waiting === limit) await changes.store();
      if (changes.changed === limit) return changes.result;
      await changes.add(key, Buffer.from(text));
      if (changes.isFull) await changes.store();
    }
  }
  await changes.store();
  return changes.result;
}

/** The changes of one operation: some wait until they are stored together. */
class Changes {
  changed = 0;
  private readonly failed: FailedItem[] = [];
  private failedCount = 0;
  private batch: Prepared[] = [];
  private bytes = 0;

  constructor(
    private readonly changing: MatchChanging,
    private readonly asked: AskedBase,
    private readonly effect: Effect,
  ) {}

  get waiting(): number {
    return this.batch.length;
  }

  get isFull(): boolean {
    return this.batch.length === maxBatchItems || this.bytes >= maxBatchBytes;
  }

  get result(): ByQueryResult {
    return { changed: this.changed, failed: this.failed, failedCount: this.failedCount };
  }

  async add(key: string, stored: Buffer): Promise<void> {
    const { changing, asked, effect } = this;
    try {
      const next = await runInRoom(changing.values, asked.client, effect.next(stored));
      this.batch.push({ key, stored, next });
      this.bytes += stored.length + (next === 'deleted' ? 0 : next.json.length);
    } catch (cause) {
      if (!(cause instanceof RequestError) || cause.status !== 400 || cause instanceof Abandoned) throw cause;
      this.fail(key, cause.problems);
    }
  }

  async store(): Promise<void> {
    const { batch, changing, asked, effect } = this;
    if (batch.length === 0) return;
    whileWanted(() => asked.client.isAbandoned).check();
    const others = await replaceUnchanged(changing, asked.space, batch);
    this.changed += batch.length - others.length;
    this.batch = [];
    this.bytes = 0;
    for (const key of others) {
      const outcome = await changeOne(changing.transactions, asked, effect.operation(key));
      if (outcome === 'changed') this.changed++;
      else if (outcome !== 'no match') this.fail(key, outcome);
    }
  }

  private fail(key: string, problems: readonly Problem[]): void {
    this.failedCount++;
    if (this.failed.length < maxReported) this.failed.push({ key, ...errorsOf(problems) });
  }
}

/** Replaces the items that are unchanged. Resolves to the keys of the others that still exist. */
async function replaceUnchanged(
  { items, alive }: MatchChanging,
  space: string,
  batch: readonly Prepared[],
): Promise<readonly string[]> {
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

/** Changes one item if it matches. Resolves to what is wrong if the item matches but cannot be changed. */
async function changeOne(
  transactions: TransactionRunner,
  { space, client }: AskedBase,
  operation: TransactionOperation,
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
