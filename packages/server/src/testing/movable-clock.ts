import { duration } from '../config/values.js';
import { parsedText } from './named-values.js';

const hundredYearsMs = 100 * 365 * 86_400_000;
const parseDuration = duration({ minMs: 0, maxMs: hundredYearsMs });

export type MovableClock = ReturnType<typeof createMovableClock>;

/** A clock that runs like that of the machine, ahead of it by as much as it was moved. */
export function createMovableClock() {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  return {
    now,
    /**
     * Moves it forward by a time with its unit (`500ms`, `90s`, `1h`, `30d`). Gives the new time, in milliseconds since
     * 1970 UTC. Throws `WrongValue`.
     */
    advance(by: string) {
      aheadMs += parsedText('advance', by, parseDuration);
      return now();
    },
    /** Sets it back to the time of the machine. */
    reset() {
      aheadMs = 0;
    },
  };
}
