import { setTimeout as wait } from 'node:timers/promises';

/** Called between two steps of a copy, each of some 256 rows. The copy waits for it. */
export type Throttle = () => Promise<void>;

const longestPauseMs = 50;

/** For a process that does nothing else. */
export const noThrottle: Throttle = async () => {};

/**
 * For a process that also serves: pauses as long as the step took, so that the copy uses at most half of the event
 * loop.
 */
export function createHalfSpeedThrottle(): Throttle {
  let workedSinceMs = performance.now();
  return async () => {
    await wait(Math.min(performance.now() - workedSinceMs, longestPauseMs));
    workedSinceMs = performance.now();
  };
}
