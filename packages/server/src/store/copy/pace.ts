import { setTimeout as wait } from 'node:timers/promises';

/** Awaited between any two steps, each of some 256 rows. */
export type Pace = () => Promise<void>;

const longestPauseMs = 50;

/** For a process that does nothing else. */
export const fullPace: Pace = async () => {};

/** For one that serves: rests as long as it has worked, so that it takes half of the process at most. */
export function createHalfSpeedPace(): Pace {
  let workedSinceMs = performance.now();
  return async () => {
    await wait(Math.min(performance.now() - workedSinceMs, longestPauseMs));
    workedSinceMs = performance.now();
  };
}
