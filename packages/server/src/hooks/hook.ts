import type { Parameters } from '../feed/follow-parameters.js';
import type { Sent } from './send.js';

/** Why a webhook sends nothing until somebody resumes it. */
export type Stop = 'paused' | 'gone' | 'too_old';

/** A webhook as it is stored. */
export interface Hook {
  readonly id: string;
  readonly project: string;
  /** The key that made it: the webhook sees what the key sees, and is silent once the key has ended. */
  readonly keyId: string;
  readonly url: string;
  readonly name?: string | undefined;
  readonly followed: Parameters;
  readonly createdSeconds: number;
  /** `paused`: by somebody. `gone`: the receiver said so. `too_old`: the changes after the cursor are not kept any more. */
  readonly stop?: { readonly why: Stop; readonly sinceSeconds: number } | undefined;
  /** The changes before it were delivered. */
  readonly cursor: string;
  /** When the oldest change was made that was seen and not delivered. */
  readonly waitingSinceSeconds?: number | undefined;
  readonly last?: LastDelivery | undefined;
  readonly failing?: Failing | undefined;
}

export interface LastDelivery extends Pick<Sent, 'status' | 'failure'> {
  readonly atMs: number;
}

/** The attempts that failed since the last delivery that succeeded. */
export interface Failing {
  readonly sinceSeconds: number;
  readonly times: number;
  /** How many changes the message has: it is sent again as it was. */
  readonly changes: number;
  readonly pauseMs: number;
}

const firstPauseMs = 1000;
const longestPauseMs = 15 * 60_000;

/** How long to wait after this many failures. `random` is from 0 to 1: so that webhooks do not all try again at the same time. */
export function pauseAfter(times: number, random: number): number {
  const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(times - 1, 20));
  return Math.round(longest * (0.8 + 0.2 * random));
}

/** Whether the receiver has taken a message. A redirect does not count: it could lead to where webhooks must not go. */
export function isTaken({ status = 0 }: Pick<Sent, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** For how many seconds the oldest change that was not delivered has waited (docs/http.md#list-webhooks). */
export function lagSeconds({ stop, waitingSinceSeconds }: Hook, nowSeconds: number): number {
  const since = waitingSinceSeconds ?? stop?.sinceSeconds;
  return since === undefined ? 0 : Math.max(0, nowSeconds - since);
}
