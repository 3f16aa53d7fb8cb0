import type { CallObserver, ListObserver } from '../call-observer.js';

/**
 * A get that finds its row in memory takes less time than reading the clock twice. So one of these many is timed, and
 * counts for all of them.
 */
const getsPerTiming = 16;

/** Times the calls of one operation. `beganMs` is the time of `performance.now()` at which a call began. */
export interface Stopwatch {
  /** `calls`: the number of calls that this one stands for. */
  ended(beganMs: number, calls?: number): void;
  failed(beganMs: number, cause: unknown): void;
}

/** Times calls, and each batch of a list by itself: the time between two batches is the reader's. */
export function timedCalls(stopwatch: Stopwatch): CallObserver<number> {
  const { failed } = stopwatch;
  const ended = (beganMs: number) => stopwatch.ended(beganMs);
  const list: ListObserver = { batch: ended, done: ended, failed, left() {} };
  let untimedGets = getsPerTiming;
  return {
    begin: () => performance.now(),
    ended,
    failed,
    list: () => list,
    memory: {
      begin: () => (++untimedGets >= getsPerTiming ? performance.now() : undefined),
      found(beganMs) {
        stopwatch.ended(beganMs, getsPerTiming);
        untimedGets = 0;
      },
    },
  };
}
