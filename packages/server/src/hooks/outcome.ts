import type { Clock } from '../lib/clock.js';
import { type Hook, pauseAfter, type Stop } from './hook.js';
import type { Sent } from './send.js';
import type { StoredHooks } from './stored-hooks.js';

type Outcome = Partial<Hook>;

/** What changes in a webhook when it stops. */
export function stopped(why: Stop, nowMs: number): Outcome {
  return { failing: undefined, stop: { why, sinceSeconds: Math.floor(nowMs / 1000) } };
}

/** What changes when a message was taken. `waitingSinceSeconds` is of what comes next. */
export function taken(
  sent: Sent,
  after: Pick<Hook, 'cursor' | 'waitingSinceSeconds'>,
  nowMs: number,
): Outcome {
  return { ...after, failing: undefined, last: lastOf(sent, nowMs) };
}

/** What changes when a message was not taken that has this many changes from the cursor on. */
export function notTaken(
  { waitingSinceSeconds, failing }: Hook,
  sent: Sent,
  { from, changes, nowMs }: { readonly from: string; readonly changes: number; readonly nowMs: number },
): Outcome {
  const outcome = { waitingSinceSeconds, last: lastOf(sent, nowMs) };
  if (sent.status === 410) return { ...outcome, ...stopped('gone', nowMs) };
  const times = (failing?.times ?? 0) + 1;
  const pauseMs = Math.max(pauseAfter(times, Math.random()), sent.retryAfterMs ?? 0);
  const sinceSeconds = failing?.sinceSeconds ?? Math.floor(nowMs / 1000);
  // From this cursor the same message is made again, also by another server.
  return { ...outcome, cursor: from, failing: { sinceSeconds, times, changes, pauseMs } };
}

function lastOf({ status, failure }: Sent, nowMs: number) {
  return { atMs: nowMs, status, failure };
}

/** Stores what has changed since the webhook was read, unless another server has delivered since, or somebody has moved its cursor. */
export async function saveOutcome(stored: StoredHooks, hook: Hook, outcome: Outcome): Promise<void> {
  await stored.change(hook, (row) => {
    if (row.cursor !== hook.cursor) return undefined;
    // Somebody has paused it, or has led it elsewhere, while it failed.
    const isSame = row.url === hook.url && row.stop === undefined;
    return isSame || outcome.failing === undefined
      ? { ...row, ...outcome, stop: row.stop ?? outcome.stop }
      : undefined;
  });
}

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
