import type { Change, Put } from '../../engines/item-store.js';
import { TooMuchRead } from '../../engines/storage-errors.js';
import { anyone, type BufferBudget, type Client } from '../../http/memory/buffer-budget.js';
import { runInRoom } from '../../http/memory/value-room.js';
import { createSemaphores, createSharedSemaphores } from '../../lib/concurrency/semaphore.js';
import { runAtOnce } from '../../lib/concurrency/time-slices.js';
import { tooManyWrites } from '../../request-error.js';
import { NotUnique } from '../indexes/declarations/not-unique.js';
import { EntriesTooLarge } from '../indexes/writing/entry-budget.js';
import type { IndexedStore } from '../indexes/writing/indexed-store.js';
import { tooMuchStored } from '../indexes/writing/transaction-bounds.js';
import { rowOf } from '../items/item.js';
import { maxTransactionBytes } from '../limits.js';
import {
  type Alive,
  applyToItem,
  costOf,
  type Failure,
  type ItemOutcome,
  type NumberedOperation,
  nothingReturned,
  type ReturnedItems,
  readsItem,
  returnedBy,
  type TransactionOperation,
} from './transaction-operation.js';

/** Runs transactions over the rows of an engine. */
export interface TransactionRunner {
  /**
   * Runs the operations one after the other: all of them or none (docs/http.md#transactions). After a failure, nothing
   * is changed. Throws a `RequestError` if the items are too large together, or if concurrent writes change them again
   * and again, or if the client leaves before the change.
   */
  run(
    space: string,
    operations: readonly TransactionOperation[],
    client?: Client,
  ): Promise<TransactionOutcome>;
}

/** How a transaction ended. */
export interface TransactionOutcome {
  /** The first failure. */
  readonly failure: Failure | undefined;
  /** What the operations give back. */
  readonly items: ReturnedItems;
}

export interface TransactionRunnerDependencies {
  readonly items: IndexedStore;
  readonly alive: Alive;
  /** Counts the values that stored items become. */
  readonly values: BufferBudget;
}

/** The operations of a transaction on one item. */
interface ItemWork {
  readonly key: string;
  readonly operations: readonly NumberedOperation[];
  /** Whether the operations depend on the stored item. */
  readonly reads: boolean;
}

/** The outcome of the operations on one item if the stored item is this one. */
interface Prepared {
  readonly stored: Buffer | undefined;
  readonly outcome: ItemOutcome;
}

type Attempt =
  | ({ readonly isOver: true } & TransactionOutcome)
  /**
   * Some of the work takes too long for the engine's transaction. `open` has this work, each with the item that it
   * starts from.
   */
  | { readonly isOver: false; readonly open: readonly [ItemWork, Buffer | undefined][] };

const nothingPrepared: ReadonlyMap<string, Prepared> = new Map();

/**
 * Up to this cost, work is done within the engine's transaction, where it takes at most 0.5 ms. The cost is in bytes:
 * see `costOf`.
 */
const quickBytes = 16 * 1024;
/**
 * The limit doubles with each further attempt, because a concurrent write made the attempt before it useless. This is
 * its maximum, which takes about 20 ms.
 */
const maxQuickBytes = 1024 * 1024;
const maxTries = 20;
/** The maximum number of large transactions at once, one of a project: each holds what it read and what it writes. */
const largeAtOnce = 2;
/** The maximum number of large items that are changed at once for a project: each is held as it was read. */
const largeItemsAtOnce = 16;

/**
 * An engine's transaction blocks all others while it decides. Therefore only small items are changed within it. Large
 * items are read, changed in time slices, and then replaced if they are still the same. Items that were changed in
 * between are changed again. Large changes of one item run one at a time, because each of two concurrent ones would
 * make the other's work useless.
 */
export function createTransactionRunner(dependencies: TransactionRunnerDependencies): TransactionRunner {
  const { items, alive, values } = dependencies;
  const ofOneItem = createSemaphores(1);
  const ofSeveral = createSharedSemaphores(largeAtOnce, 1);
  const ofSingle = createSemaphores(largeItemsAtOnce);

  function attempt(
    space: string,
    works: readonly ItemWork[],
    prepared: ReadonlyMap<string, Prepared>,
    maxCost: number,
  ): Promise<Attempt> {
    const keys: string[] = [];
    for (const { reads, key } of works) if (reads) keys.push(key);
    const decide = (rows: readonly (Buffer | undefined)[]): Change<Attempt> => {
      if (works.length > 1 && totalBytes(rows) > maxTransactionBytes) throw tooMuchStored('operations');
      const outcomes: ItemOutcome[] = [];
      const open: [ItemWork, Buffer | undefined][] = [];
      let cost = 0;
      let read = 0;
      for (const work of works) {
        const stored = work.reads ? alive(rows[read++]) : undefined;
        const known = prepared.get(work.key);
        if (known !== undefined && isSame(known.stored, stored)) {
          outcomes.push(known.outcome);
          continue;
        }
        cost += costOf(stored?.length ?? 0, work.operations);
        if (cost > maxCost) open.push([work, stored]);
        else outcomes.push(runAtOnce(applyToItem(stored, work.operations, alive)));
      }
      if (open.length > 0) return { result: { isOver: false, open } };
      const failure = firstFailure(outcomes);
      if (failure !== undefined) return { result: { isOver: true, ...failed(failure) } };
      const items = returnedBy(outcomes);
      return { ...changesOf(works, outcomes), result: { isOver: true, failure, items } };
    };
    const changed = works.map(({ key }) => key);
    return items.transact(space, keys, decide, { changed }).catch((cause): Attempt => {
      if (cause instanceof EntriesTooLarge) throw cause.at('operations');
      if (cause instanceof TooMuchRead) throw tooMuchStored('operations');
      if (!(cause instanceof NotUnique)) throw cause;
      return { isOver: true, ...failed(failureOf(cause, works)) };
    });
  }

  async function runLarge(
    space: string,
    works: readonly ItemWork[],
    client: Client,
  ): Promise<TransactionOutcome> {
    const prepared = new Map<string, Prepared>();
    let maxCost = quickBytes;
    for (let tries = 0; tries < maxTries; tries++) {
      const reached = await attempt(space, works, prepared, maxCost);
      if (reached.isOver) return reached;
      for (const [work, stored] of reached.open) {
        const outcome = await runInRoom(values, client, applyToItem(stored, work.operations, alive));
        // A single item failed as it was at one moment. That is a valid answer, whatever happened to the item since.
        if (works.length === 1 && outcome.failure !== undefined) return failed(outcome.failure);
        prepared.set(work.key, { stored, outcome });
      }
      maxCost = Math.min(2 * maxCost, maxQuickBytes);
    }
    throw tooManyWrites();
  }

  return {
    // Not asynchronous itself: such a function would keep the stored items of the first attempt while it waits its turn.
    run(space, operations, client = anyone) {
      const works = byKey(operations);
      return attempt(space, works, nothingPrepared, quickBytes).then((reached) => {
        if (reached.isOver) return reached;
        const work = () => runLarge(space, works, client);
        if (works.length > 1) return ofSeveral(client.project)(work);
        return ofOneItem(`${space}\0${works[0]?.key}`)(() => ofSingle(client.project)(work));
      });
    },
  };
}

function failed(failure: Failure): TransactionOutcome {
  return { failure, items: nothingReturned };
}

function byKey(operations: readonly TransactionOperation[]): ItemWork[] {
  const [first] = operations;
  if (first !== undefined && operations.length === 1) {
    // Update Item always has a single operation, so this case is fast.
    return [{ key: first.key, operations: [{ index: 0, operation: first }], reads: readsItem(first) }];
  }
  const works = new Map<string, NumberedOperation[]>();
  for (const [index, operation] of operations.entries()) {
    const numbered = works.get(operation.key);
    if (numbered === undefined) works.set(operation.key, [{ index, operation }]);
    else numbered.push({ index, operation });
  }
  return Array.from(works, ([key, numbered]) => ({
    key,
    operations: numbered,
    reads: numbered.some(({ operation }) => readsItem(operation)),
  }));
}

function isSame(before: Buffer | undefined, now: Buffer | undefined): boolean {
  return before === undefined || now === undefined ? before === now : before.equals(now);
}

function firstFailure(outcomes: readonly ItemOutcome[]): Failure | undefined {
  let first: Failure | undefined;
  for (const { failure } of outcomes) {
    if (failure !== undefined && (first === undefined || failure.index < first.index)) first = failure;
  }
  return first;
}

/** The failure of the last operation that gave an item the values of another one. */
function failureOf(error: NotUnique, works: readonly ItemWork[]): Failure {
  const [{ key }] = error.collisions;
  const work = works.find((one) => one.key === key);
  const last = work?.operations.findLast(({ operation }) => 'item' in operation || 'update' in operation);
  return { index: last?.index ?? 0, error };
}

function changesOf(
  works: readonly ItemWork[],
  outcomes: readonly ItemOutcome[],
): { puts: Put[]; deletes: string[] } {
  const puts: Put[] = [];
  const deletes: string[] = [];
  for (const [index, { key }] of works.entries()) {
    const change = outcomes[index]?.change;
    if (change === 'deleted') deletes.push(key);
    else if (change !== undefined) puts.push(rowOf(change));
  }
  return { puts, deletes };
}

function totalBytes(rows: readonly (Buffer | undefined)[]): number {
  let bytes = 0;
  for (const row of rows) bytes += row?.length ?? 0;
  return bytes;
}
