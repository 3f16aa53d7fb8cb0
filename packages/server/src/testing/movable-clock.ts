import { duration } from '../config/values.js';
import type { Clock } from '../lib/clock.js';
import { parsedText } from './named-values.js';

const hundredYearsMs = 100 * 365 * 86_400_000;
const parseDuration = duration({ minMs: 0, maxMs: hundredYearsMs });

/** A clock that runs like that of the machine, ahead of it by as much as it was moved. */
export interface MovableClock {
  readonly now: Clock;
  /**
   * Moves it forward by a time with its unit (`500ms`, `90s`, `1h`, `30d`). Gives the new time, in milliseconds since
   * 1970 UTC. Throws `WrongValue`.
   */
  advance(by: string): number;
  /** Sets it back to the time of the machine. */
  reset(): void;
}

export function createMovableClock(): MovableClock {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  return {
    now,
    advance(by) {
      aheadMs += parsedText('advance', by, parseDuration);
      return now();
    },
    reset() {
      aheadMs = 0;
    },
  };
}
