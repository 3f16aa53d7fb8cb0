import { resolveWithin } from '../lib/concurrency/time-limit.js';

/** How often a timer shows that the process runs. */
const beatMs = 300;
/** A busy process is late by less. With what a key may be known too long (`refresh`), it makes two seconds. */
const awakeMs = 1000;
/** Rows that are away must not hold requests up for long: what is known stays valid then, as it does without a sleep. */
const catchUpWithinMs = 3000;

export interface WakefulnessDependencies {
  /** Reads what other servers may have changed. */
  readonly reload: () => Promise<unknown>;
  /** A clock in milliseconds that is never set back, and goes on while the process is stopped. */
  readonly monotonicMs?: () => number;
}

/**
 * Notices that the process did not run for a while, by a timer that was late. After a stop, requests that wait in its
 * sockets are read before any timer fires, so each request compares the time itself: one comparison of numbers.
 */
export function createWakefulness({
  reload,
  monotonicMs = () => performance.now(),
}: WakefulnessDependencies) {
  let beatAtMs = monotonicMs();
  let catchingUp: Promise<void> | undefined;

  const isLate = () => monotonicMs() > beatAtMs + awakeMs;

  function catchUp(): Promise<void> {
    catchingUp ??= begin();
    return catchingUp;
  }

  async function begin(): Promise<void> {
    beatAtMs = monotonicMs();
    // A failure is logged by whoever reads the same again every second.
    await resolveWithin(catchUpWithinMs, reload().catch(ignore));
    catchingUp = undefined;
  }

  const timer = setInterval(() => {
    if (isLate()) void catchUp();
    beatAtMs = monotonicMs();
  }, beatMs).unref();

  return {
    get awakeUntilMs() {
      return catchingUp === undefined ? beatAtMs + awakeMs : Number.NEGATIVE_INFINITY;
    },
    catchUp,
    stop: () => clearInterval(timer),
  };
}

function ignore(): void {}
