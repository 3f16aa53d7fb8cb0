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
