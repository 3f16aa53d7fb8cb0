import { setTimeout as wait } from 'node:timers/promises';

/** Awaited between any two steps of a copy, each of some 256 rows: it may pause. */
export type Throttle = () => Promise<void>;

const longestPauseMs = 50;

/** For a process that does nothing else. */
export const noThrottle: Throttle = async () => {};

/** For a process that also serves: pauses as long as the step took, so the copy takes at most half of the process. */
export function createHalfSpeedThrottle(): Throttle {
  let workedSinceMs = performance.now();
  return async () => {
    await wait(Math.min(performance.now() - workedSinceMs, longestPauseMs));
    workedSinceMs = performance.now();
  };
}
