import type { Change, Put } from '../../engines/item-store.js';
import { runInRoom } from '../../http/memory/value-room.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { Abandoned, errorsOf, type Problem, RequestError, untilAbandoned } from '../../request-error.js';
import { NotUnique } from '../indexes/declarations/not-unique.js';
import type { IndexedStore } from '../indexes/writing/indexed-store.js';
import { inParts, ofPart } from '../indexes/writing/transaction-bounds.js';
import { type Item, rowOf } from '../items/item.js';
import type { FinishedList } from '../pages/item-list.js';
import type { TransactionOperation } from '../transactions/transaction-operation.js';
import type { TransactionRunner, TransactionRunnerDependencies } from '../transactions/transaction-runner.js';
import type { ChangeByQuery } from './by-query-body.js';
import { allMatches, type MatchReading, orderedMatches, type QueryTarget } from './find-matches.js';
import { ReturnedMatches } from './returned-matches.js';

export interface MatchChanging extends MatchReading, TransactionRunnerDependencies {
  readonly items: IndexedStore;
  readonly transactions: TransactionRunner;
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
  /** The items that the operation gives back, in their order; undefined if it is not asked for them. */
  readonly items: FinishedList | undefined;
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
  target: QueryTarget,
  change: ChangeByQuery,
  effect: Effect,
): Promise<ByQueryResult> {
  const { query, limit, order, returns } = change;
  const matching =
    order === undefined
      ? allMatches(changing, target, query)
      : orderedMatches(changing, target, change, order);
  const returned = returns && new ReturnedMatches(returns, changing.values.hold(0, target.client));
  const changedKeys = order && new Set<string>();
  const changes = new Changes(changing, target, effect, { returned, changedKeys });
  try {
    for await (const found of matching) {
      for (const { key, text } of found) {
        if (changes.changed + changes.waiting === limit) await changes.store();
        if (changes.changed === limit || returned?.isFull) return changes.result;
        // What was changed may come again, later in the order.
        if (changedKeys?.has(key)) continue;
        await changes.add(key, Buffer.from(text));
        if (changes.isFull) await changes.store();
      }
      const isFull = changes.changed + changes.waiting === limit;
      // In an order, the next ones are read after these are changed.
      if (isFull || order !== undefined) await changes.store();
      if (changes.changed === limit) break;
    }
    await changes.store();
    return changes.result;
  } finally {
    returned?.free();
  }
}

interface Kept {
  readonly returned: ReturnedMatches | undefined;
  /** The keys of what was changed in an order other than that of the keys. */
  readonly changedKeys: Set<string> | undefined;
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
    private readonly target: QueryTarget,
    private readonly effect: Effect,
    private readonly kept: Kept,
  ) {}

  get waiting(): number {
    return this.batch.length;
  }

  get isFull(): boolean {
    return this.batch.length === maxBatchItems || this.bytes >= maxBatchBytes;
  }

  get result(): ByQueryResult {
    const { changed, failed, failedCount } = this;
    return { changed, failed, failedCount, items: this.kept.returned?.list };
  }

  async add(key: string, stored: Buffer): Promise<void> {
    const { changing, target, effect } = this;
    try {
      const next = await runInRoom(changing.values, target.client, effect.next(stored));
      this.batch.push({ key, stored, next });
      this.bytes += stored.length + (next === 'deleted' ? 0 : next.json.length);
    } catch (cause) {
      if (!(cause instanceof RequestError) || cause.status !== 400 || cause instanceof Abandoned) throw cause;
      this.fail(key, cause.problems);
    }
  }

  async store(): Promise<void> {
    const { batch, changing, target, effect } = this;
    const { returned } = this.kept;
    if (batch.length === 0) return;
    untilAbandoned(() => target.client.isAbandoned).check();
    const others = new Set(
      (await inParts(batch, (part) => replaceUnchanged(changing, target.space, part))).flat(),
    );
    this.batch = [];
    this.bytes = 0;
    for (const { key, stored, next } of batch) {
      if (!others.has(key)) {
        this.noteChanged(key, returned?.of(stored, next));
        continue;
      }
      const outcome = await changeOne(changing.transactions, target, effect.operation(key));
      if ('problems' in outcome) this.fail(key, outcome.problems);
      else if (outcome.isChanged) this.noteChanged(key, outcome.item);
    }
  }

  private noteChanged(key: string, item: Buffer | undefined): void {
    const { changedKeys, returned } = this.kept;
    this.changed++;
    changedKeys?.add(key);
    if (item !== undefined) returned?.add(item);
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
  const decide = (rows: readonly (Buffer | undefined)[]): Change<string[]> => {
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
  };
  return await items.transact(space, keys, decide, ofPart).catch((cause) => {
    // Each by itself tells which of them a unique index allows.
    if (cause instanceof NotUnique) return keys;
    throw cause;
  });
}

/** What happened to one item: it was changed, it did not match, or it matches but cannot be changed. */
type Changed =
  | { readonly isChanged: boolean; readonly item?: Buffer | undefined }
  | { readonly problems: readonly Problem[] };

/** Changes one item if it matches. */
async function changeOne(
  transactions: TransactionRunner,
  { space, client }: QueryTarget,
  operation: TransactionOperation,
): Promise<Changed> {
  try {
    const { failure, items } = await transactions.run(space, [operation], client);
    if (failure === undefined) return { isChanged: true, item: items.get(0) };
    const { status, problems } = failure.error;
    return status === 404 || status === 412 ? { isChanged: false } : { problems };
  } catch (cause) {
    // Concurrent writes changed the item again and again.
    if (cause instanceof RequestError && !(cause instanceof Abandoned)) return { problems: cause.problems };
    throw cause;
  }
}
