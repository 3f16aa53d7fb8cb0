import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';

/** `stuck`: the service does not answer; it goes on by itself when the service is back. */
export type TransferState = 'waiting' | 'sending' | 'stuck' | 'paused' | 'done' | 'failed';

/** A file on its way to a drive. Its list changes its state and the bytes that have left. */
export interface Transfer {
  readonly id: number;
  readonly drive: string;
  readonly name: string;
  readonly file: File;
  readonly state: Signal<TransferState>;
  /** Bytes that have left. */
  readonly sent: Signal<number>;
  /** Bytes a second over the last moments. */
  readonly speed: Signal<number>;
  readonly problem: Signal<string>;
  /** Whether it takes the place of a file that has the name. */
  readonly isReplacing: Signal<boolean>;
  /** Why it failed, where another attempt cannot succeed: a file has the name, or this one cannot be read. */
  readonly cause: Signal<'taken' | 'unreadable' | undefined>;
}

/** How far all transfers are together. */
export interface Progress {
  /** How many are in each state. */
  readonly counts: Readonly<Record<TransferState, number>>;
  /** Bytes of all files, and those of them that have left. */
  readonly size: number;
  readonly sent: number;
}

/**
 * Transfers in order. Only `setAll` looks at each of them: somebody may drop 100,000 files, and what was done with all of
 * them after each one would take longer than to send them.
 */
export interface TransferList {
  /** The oldest first. */
  readonly all: ReadonlySignal<readonly Transfer[]>;
  readonly progress: ReadonlySignal<Progress>;
  has(transfer: Transfer): boolean;
  /** Takes these transfers in place of those that it has. */
  setAll(transfers: readonly Transfer[]): void;
  setState(transfer: Transfer, state: TransferState): void;
  setSent(transfer: Transfer, bytes: number): void;
  /** Those that wait, in the order in which they are to start: first those that are resumed. */
  waiting(): Iterable<Transfer>;
  /** The first that are not finished, and then those that were finished last. */
  first(count: number): readonly Transfer[];
}

const none: Progress = {
  counts: { waiting: 0, sending: 0, stuck: 0, paused: 0, done: 0, failed: 0 },
  size: 0,
  sent: 0,
};

/** A list without transfers. */
export function createTransferList(): TransferList {
  const all = signal<readonly Transfer[]>([]);
  const progress = signal(none);
  let listed = new Set<Transfer>();
  let unfinished = new Set<Transfer>();
  let done: Transfer[] = [];
  let fresh = new Set<Transfer>();
  let resumed = new Set<Transfer>();

  return {
    all,
    progress,
    has: (transfer) => listed.has(transfer),

    setAll(transfers) {
      const inState = (wanted: TransferState) => transfers.filter(({ state }) => state.peek() === wanted);
      const before = { done, resumed };
      listed = new Set(transfers);
      unfinished = new Set(transfers.filter(({ state }) => state.peek() !== 'done'));
      done = before.done.filter((transfer) => listed.has(transfer));
      resumed = new Set([...before.resumed].filter((transfer) => listed.has(transfer)));
      fresh = new Set(inState('waiting').filter((transfer) => !resumed.has(transfer)));
      const counts = { ...none.counts };
      let [size, sent] = [0, 0];
      for (const transfer of transfers) {
        counts[transfer.state.peek()]++;
        size += transfer.file.size;
        sent += transfer.sent.peek();
      }
      batch(() => {
        all.value = transfers;
        progress.value = { counts, size, sent };
      });
    },

    setState(transfer, state) {
      const before = transfer.state.peek();
      if (before === state) return;
      fresh.delete(transfer);
      resumed.delete(transfer);
      batch(() => {
        transfer.state.value = state;
        if (!listed.has(transfer)) return;
        if (state === 'done') {
          unfinished.delete(transfer);
          done.push(transfer);
        } else if (state === 'waiting') resumed.add(transfer);
        const { counts, ...bytes } = progress.peek();
        progress.value = {
          ...bytes,
          counts: { ...counts, [before]: counts[before] - 1, [state]: counts[state] + 1 },
        };
      });
    },

    setSent(transfer, bytes) {
      const before = transfer.sent.peek();
      batch(() => {
        transfer.sent.value = bytes;
        if (!listed.has(transfer)) return;
        const { sent, ...rest } = progress.peek();
        progress.value = { ...rest, sent: sent - before + bytes };
      });
    },

    *waiting() {
      yield* resumed;
      yield* fresh;
    },

    first(count) {
      const found: Transfer[] = [];
      for (const transfer of unfinished) {
        if (found.length === count) return found;
        found.push(transfer);
      }
      return found.length === count ? found : [...found, ...done.slice(found.length - count).toReversed()];
    },
  };
}
