import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OnNoted } from '../change-log.js';
import type { OnGroup } from '../engine.js';
import { TooMuchRead } from '../storage-errors.js';

/** One change of a row, whose key is unique in the whole store. */
export type Operation = (
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer }
  | { readonly type: 'del'; readonly key: string }
) & {
  /** The row is as it was, so no change of it is noted. Only LevelDB writes such rows, to give space back. */
  readonly isRewrite?: true;
  /** Called when the change is noted; see `Change.onNoted`. */
  readonly onNoted?: OnNoted;
};

export interface Decision<T, O extends Operation = Operation> {
  readonly operations: readonly O[];
  readonly result: T;
}

type Values = readonly (Buffer | undefined)[];

/** The committed value of one of the group's keys. */
export type Read = (key: string) => Buffer | undefined;

/** What a transaction reads. */
export interface Reading {
  readonly keys: readonly string[];
  /** With more bytes of several rows, it is refused. */
  readonly maxReadBytes: number;
}

/**
 * Commits a group: calls `decide` with a function that reads the committed values of its keys, writes the operations that
 * `decide` gives, and resolves when they are on stable storage. If it rejects, the whole group is refused. It may call
 * `decide` several times: the last result counts. With `count`, only that many transactions are decided, one or more and the
 * first ones; the others wait for the next group.
 */
export type CommitGroup<O extends Operation = Operation> = (
  group: readonly Reading[],
  decide: (read: Read, count?: number) => readonly O[],
) => Promise<void>;

/** `O`: an engine may add fields of its own to an operation. */
export interface GroupCommit<O extends Operation = Operation> {
  /** `maxReadBytes`: as `transact` of the item store takes it. */
  submit<T>(
    keys: readonly string[],
    decide: (values: Values) => Decision<T, O>,
    maxReadBytes?: number,
  ): Promise<T>;
  /** Resolves when no transaction waits and no commit is in progress. */
  idle(): Promise<void>;
}

interface Waiting<O extends Operation> extends Reading {
  /** When it was submitted, if groups are observed. */
  readonly sinceMs: number;
  readonly decide: (values: Values) => Decision<unknown, O>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

type Outcome = { readonly result: unknown } | { readonly thrown: unknown };

/**
 * Up to this many transactions share a commit: they cost less than its sync. When more are waiting, half of the active
 * ones are left for the next commit, so that the disk works while the first half is answered. Without this, groups would
 * alternate between one transaction and all the others.
 */
const smallGroup = 16;

// Limits of a group, so that no commit takes long or much memory.
const maxGroupTransactions = 1024;
/** The keys that its transactions read. */
const maxGroupKeys = 4096;
/** What it reads and writes. */
export const maxGroupBytes = 4 * 1024 * 1024;
/** The time to decide it, in which nobody else is served. */
const maxGroupMs = 5;
/** After a group that has read more and writes nothing, for which it would wait, others are served. */
const maxIdleBytes = 1024 * 1024;

/**
 * Group commit: all writers that arrive while a commit is in progress share the next one and its sync. Transactions are
 * decided one after the other, each over the committed rows and what those before it in the group have decided. Their
 * operations are written together, and each transaction is answered when they are on stable storage. (The comment of
 * `openLevelStore` shows the path of a put to the disk.) `onGroup` is called after each group.
 */
export function createGroupCommit<O extends Operation = Operation>(
  commit: CommitGroup<O>,
  onGroup?: OnGroup,
): GroupCommit<O> {
  const now = onGroup === undefined ? () => 0 : () => performance.now();
  let waiting: Waiting<O>[] = [];
  let running: Promise<void> | undefined;
  /** The transactions of the last group: their clients are about to send the next ones. */
  let answered = 0;
  /** Whether the last group left transactions waiting because of a limit, or without waiting for the disk. */
  let isCut = false;

  async function run(): Promise<void> {
    // The other requests of this tick join the first group.
    await undefined;
    let next: Promise<() => void> | undefined = commitNext();
    while (next !== undefined) {
      const answer = await next;
      // The next commit begins before this one is answered, so the disk works while the answers are written: a fifth
      // more puts.
      next = waiting.length > 0 ? commitNext() : undefined;
      answer();
    }
    running = undefined;
    answered = 0;
  }

  /** Commits the next group. Gives a function that answers its transactions. */
  async function commitNext(): Promise<() => void> {
    // A group that only reads never waits for the disk: without a pause, many of them would block the event loop.
    if (isCut) await nextTurn();
    const half = Math.max(smallGroup, Math.ceil((waiting.length + answered) / 2));
    const wanted = Math.min(waiting.length, half);
    const leaves = wanted < waiting.length;
    const group = nextGroup(waiting, wanted);
    const beganMs = now();
    let outcomes: readonly Outcome[] = [];
    let operations = 0;
    let bytes = 0;
    let refusal: { cause: unknown } | undefined;
    try {
      await commit(group, (read, count = group.length) => {
        const decided = decideAll(count === group.length ? group : group.slice(0, count), read);
        bytes = decided.bytes;
        outcomes = decided.outcomes;
        operations = decided.operations.length;
        return decided.operations;
      });
    } catch (cause) {
      refusal = { cause };
    }
    // If nothing was decided, the whole group is refused.
    const done = outcomes.length === 0 ? group : group.slice(0, outcomes.length);
    isCut = done.length < wanted || (operations === 0 && (leaves || bytes > maxIdleBytes));
    answered = done.length;
    waiting = waiting.slice(done.length);
    onGroup?.({
      waitsMs: done.map(({ sinceMs }) => beganMs - sinceMs),
      operations,
      durationMs: now() - beganMs,
    });
    return () => {
      for (const [index, transaction] of done.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined && 'thrown' in outcome) transaction.reject(outcome.thrown);
        else if (refusal !== undefined) transaction.reject(refusal.cause);
        else transaction.resolve(outcome?.result);
      }
    };
  }

  return {
    submit<T>(
      keys: readonly string[],
      decide: (values: Values) => Decision<T, O>,
      maxReadBytes = Number.POSITIVE_INFINITY,
    ) {
      return new Promise<T>((resolve, reject) => {
        const answer = { resolve: resolve as (result: unknown) => void, reject };
        waiting.push({ keys, maxReadBytes, sinceMs: now(), decide, ...answer });
        running ??= run();
      });
    },
    async idle() {
      while (running !== undefined) await running;
    },
  };
}

/** The next transactions, at most `most` of them. */
function nextGroup<O extends Operation>(waiting: readonly Waiting<O>[], most: number) {
  let keys = 0;
  let count = 0;
  for (; count < Math.min(most, maxGroupTransactions) && keys < maxGroupKeys; count++) {
    keys += (waiting[count] as Waiting<O>).keys.length;
  }
  return waiting.slice(0, count);
}

/** Decides as many of the group's transactions as fit into a commit, in their order: at least one. */
function decideAll<O extends Operation>(group: readonly Waiting<O>[], read: Read) {
  const outcomes: Outcome[] = [];
  const operations: O[] = [];
  /** What the rows become; null: they are deleted. */
  const pending = new Map<string, Buffer | null>();
  const see = (key: string) => {
    const value = pending.get(key);
    return value === undefined ? read(key) : (value ?? undefined);
  };
  // What the first one decides is seen by those after it. In a group of blind batches no transaction reads.
  const watched = group.length > 1 && group.some((transaction) => transaction.keys.length > 0);
  let bytes = 0;
  const endsMs = performance.now() + maxGroupMs;
  for (const transaction of group) {
    if (bytes > maxGroupBytes || (outcomes.length > 0 && performance.now() > endsMs)) break;
    try {
      const values: (Buffer | undefined)[] = [];
      let read = 0;
      for (const key of transaction.keys) {
        const value = see(key);
        if (value !== undefined) {
          read += value.length;
          bytes += value.length;
          if (read > transaction.maxReadBytes && values.length > 0) throw new TooMuchRead(values.length);
        }
        values.push(value);
      }
      const decision = transaction.decide(values);
      for (const operation of decision.operations) {
        operations.push(operation);
        if (operation.type === 'put') bytes += operation.value.length;
        if (watched) pending.set(operation.key, operation.type === 'put' ? operation.value : null);
      }
      outcomes.push({ result: decision.result });
    } catch (thrown) {
      outcomes.push({ thrown });
    }
  }
  return { outcomes, operations, bytes };
}
