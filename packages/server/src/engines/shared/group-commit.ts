/** One change of a row, named by a key that is unique in the whole store. */
export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer }
  | { readonly type: 'del'; readonly key: string };

export interface Decision<T, O extends Operation = Operation> {
  readonly operations: readonly O[];
  readonly result: T;
}

type Values = readonly (Buffer | undefined)[];

/** The committed value of one of the group's keys. */
export type Read = (key: string) => Buffer | undefined;

/**
 * Commits a group: lets `decide` say, over the committed values of `keys`, what changes, and resolves when all
 * of that is on stable storage. When it rejects, the group is refused. It may ask again: the last answer counts.
 */
export type CommitGroup<O extends Operation = Operation> = (
  keys: readonly string[],
  decide: (read: Read) => readonly O[],
) => Promise<void>;

/** Engines may say more of an operation (`O`) than the group needs to know. */
export interface GroupCommit<O extends Operation = Operation> {
  submit<T>(keys: readonly string[], decide: (values: Values) => Decision<T, O>): Promise<T>;
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>;
}

interface Waiting<O extends Operation> {
  readonly keys: readonly string[];
  readonly decide: (values: Values) => Decision<unknown, O>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

type Outcome = { readonly result: unknown } | { readonly thrown: unknown };

/** A group ends when it has so many transactions, or its writes hold so much: no commit takes long or much memory. */
const maxGroupTransactions = 1024;
const maxGroupBytes = 4 * 1024 * 1024;

/**
 * Lets all writers that arrive while a commit is under way share the next one, so that a sync costs a crowd
 * little. Transactions are decided one after the other, each over what is committed and what those before it in
 * the group have decided; their operations go out together; each is answered when they are on stable storage.
 */
export function createGroupCommit<O extends Operation = Operation>(commit: CommitGroup<O>): GroupCommit<O> {
  let waiting: Waiting<O>[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // The rest of this tick's requests join the first group.
    await undefined;
    let next: Promise<() => void> | undefined = commitNext();
    while (next !== undefined) {
      const settle = await next;
      // It is on its way before the last one is answered: the disk works while the answers are written, a fifth more puts.
      next = waiting.length > 0 ? commitNext() : undefined;
      settle();
    }
    running = undefined;
  }

  /** Commits the next group, and gives how to tell those who wait for it. */
  async function commitNext(): Promise<() => void> {
    const group = waiting.slice(0, maxGroupTransactions);
    let outcomes: readonly Outcome[] = [];
    let refusal: { cause: unknown } | undefined;
    try {
      await commit(keysOf(group), (read) => {
        const decided = decideAll(group, read);
        outcomes = decided.outcomes;
        return decided.operations;
      });
    } catch (cause) {
      refusal = { cause };
    }
    // Before anything was decided, the refusal is that of the whole group.
    const done = outcomes.length === 0 ? group : group.slice(0, outcomes.length);
    waiting = waiting.slice(done.length);
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
    submit<T>(keys: readonly string[], decide: (values: Values) => Decision<T, O>) {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ keys, decide, resolve: resolve as (result: unknown) => void, reject });
        running ??= run();
      });
    },
    async idle() {
      while (running !== undefined) await running;
    },
  };
}

function keysOf(group: readonly Waiting<Operation>[]): string[] {
  const keys: string[] = [];
  for (const transaction of group) keys.push(...transaction.keys);
  return keys;
}

/** Decides the group's transactions in their order, as many as fit. */
function decideAll<O extends Operation>(group: readonly Waiting<O>[], read: Read) {
  const outcomes: Outcome[] = [];
  const operations: O[] = [];
  const pending = new Map<string, Buffer | undefined>();
  const see = (key: string) => (pending.has(key) ? pending.get(key) : read(key));
  // Blind batches see nothing: while nobody reads, nobody needs to know what is pending.
  const watched = group.some((transaction) => transaction.keys.length > 0);
  let bytes = 0;
  for (const transaction of group) {
    if (bytes > maxGroupBytes) break;
    try {
      const decision = transaction.decide(transaction.keys.map(see));
      for (const operation of decision.operations) {
        operations.push(operation);
        if (operation.type === 'put') bytes += operation.value.length;
        if (watched) pending.set(operation.key, operation.type === 'put' ? operation.value : undefined);
      }
      outcomes.push({ result: decision.result });
    } catch (thrown) {
      outcomes.push({ thrown });
    }
  }
  return { outcomes, operations };
}
