import type { Clock } from '../lib/clock.js';
import type { Hook } from './hook.js';

/** How often the cursor of a webhook that has nothing to send is stored: the log does not keep what comes after it for ever. */
const saveEveryMs = 10 * 60_000;

/** How far a webhook that has nothing to send has come since its cursor was stored. */
export interface IdleCursor {
  /** From where the webhook goes on. */
  of(hook: Hook): string;
  /** It goes on from a later one. Gives whether that is to be stored, and then `saved` is called. */
  move(hook: Hook, to: string): boolean;
  saved(cursor: string): void;
}

export function createIdleCursor(clock: Clock): IdleCursor {
  let ahead = { from: '', to: '', savedMs: clock() };
  return {
    of: ({ cursor }) => (ahead.from === cursor ? ahead.to : cursor),
    move({ cursor, waitingSinceSeconds }, to) {
      const isOld = Math.abs(clock() - ahead.savedMs) >= saveEveryMs;
      if (isOld || waitingSinceSeconds !== undefined) return true;
      ahead = { ...ahead, from: cursor, to };
      return false;
    },
    saved(cursor) {
      ahead = { from: cursor, to: cursor, savedMs: clock() };
    },
  };
}
