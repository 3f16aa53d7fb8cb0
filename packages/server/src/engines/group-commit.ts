/** One change of LevelDB, in the form of `abstract-level`'s batches. */
export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer }
  | { readonly type: 'del'; readonly key: string };

export interface Decision<T> {
  readonly operations: readonly Operation[];
  readonly result: T;
}

interface Waiting {
  readonly keys: readonly string[];
  readonly decide: (values: readonly (Buffer | undefined)[]) => Decision<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

export interface GroupCommit {
  submit<T>(
    keys: readonly string[],
    decide: (values: readonly (Buffer | undefined)[]) => Decision<T>,
  ): Promise<T>;
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>;
}

/** A group ends when its writes hold so much, so that one commit neither takes long nor much memory. */
const maxGroupBytes = 4 * 1024 * 1024;

/**
 * Lets all writers that arrive while a commit is under way share the next one, so that a sync costs a crowd
 * little. One process owns the store, which makes transactions simple: they are decided one after the other,
 * each over what is committed and what those before it in the group have decided; their operations go out in
 * one synced batch; each is answered when that batch is on stable storage, or rejected when it failed.
 *
 * `read` gives committed values; `write` resolves when all operations are durable.
 */
export function createGroupCommit(
  read: (key: string) => Buffer | undefined,
  write: (operations: readonly Operation[]) => Promise<void>,
): GroupCommit {
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // The rest of this tick's requests join the first group.
    await undefined;
    while (waiting.length > 0) {
      const group = decideGroup();
      if (group.operations.length > 0) {
        try {
          await write(group.operations);
        } catch (cause) {
          for (const { transaction } of group.decided) transaction.reject(cause);
          continue;
        }
      }
      for (const { transaction, result } of group.decided) transaction.resolve(result);
    }
    running = undefined;
  }

  function decideGroup() {
    const decided: { transaction: Waiting; result: unknown }[] = [];
    const operations: Operation[] = [];
    const pending = new Map<string, Buffer | undefined>();
    // Blind batches see nothing, so while nobody reads, nobody needs to know what is pending.
    const watched = waiting.some((transaction) => transaction.keys.length > 0);
    const see = (key: string) => (pending.has(key) ? pending.get(key) : read(key));
    let taken = 0;
    let bytes = 0;
    for (const transaction of waiting) {
      if (bytes > maxGroupBytes) break;
      taken++;
      try {
        const decision = transaction.decide(transaction.keys.map(see));
        for (const operation of decision.operations) {
          operations.push(operation);
          if (operation.type === 'put') bytes += operation.value.length;
          if (watched) pending.set(operation.key, operation.type === 'put' ? operation.value : undefined);
        }
        decided.push({ transaction, result: decision.result });
      } catch (cause) {
        transaction.reject(cause);
      }
    }
    waiting = taken === waiting.length ? [] : waiting.slice(taken);
    return { decided, operations };
  }

  return {
    submit<T>(keys: readonly string[], decide: (values: readonly (Buffer | undefined)[]) => Decision<T>) {
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
