import { setTimeout as sleep } from 'node:timers/promises';
import { nowSeconds } from '../lib/clock.js';
import type { Semaphore } from '../lib/concurrency/semaphore.js';
import type { Log } from '../lib/log.js';
import { RequestError } from '../request-error.js';
import { type Hook, isTaken, pauseAfter, type Stop } from './hook.js';
import { hookSecret, messageId, signMessage } from './message.js';
import { madeAtSeconds, nextChanges, type ReadingHooks, txOf, type Waiting } from './next-changes.js';
import type { Send, Sent } from './send.js';
import type { StoredHooks } from './stored-hooks.js';

export interface DeliveryDependencies extends ReadingHooks {
  readonly stored: StoredHooks;
  readonly send: Send;
  readonly log: Pick<Log, 'error'>;
  /** Bounds what is sent at once for a project. */
  readonly sending: (project: string) => Semaphore;
  /** Is told of each message with changes that was sent. */
  readonly onSent?: OnSent | undefined;
}

export type OnSent = (outcome: 'delivered' | 'failed', changes: number) => void;

/** What one webhook sends. */
export interface Delivery {
  /** Looks at the webhook again: somebody has changed it. */
  wake(): void;
  /** The webhook as it was seen last. */
  readonly hook: Hook | undefined;
  /** Ends it after the message that is being sent. */
  stop(): void;
  /** Ends it at once. */
  abort(): void;
  /** Resolves when it has ended: it was stopped, or the webhook is, or there is none any more. */
  readonly ended: Promise<void>;
}

/** Messages of few changes are not sent more often than this: what changes meanwhile comes together in the next one. */
const leastBetweenMs = 100;
/** How often a key that has ended is looked for, since an operator may give it back, and the clock of a pause. */
const lookAgainMs = 1000;
const longestErrorPauseMs = 60_000;
/** How often the cursor of a webhook is stored that has nothing to send: changes behind it are dropped some day. */
const idleSaveMs = 10 * 60_000;

/** Delivers what a webhook has to send, message by message in their order, until it is stopped. */
export function startDelivery(
  { project, id }: Pick<Hook, 'project' | 'id'>,
  dependencies: DeliveryDependencies,
): Delivery {
  const { stored, clock, log, keys } = dependencies;
  const aborted = new AbortController();
  let isStopped = false;
  let woken = new AbortController();
  let seen: Hook | undefined;
  /** How far a webhook without changes has come since its cursor was stored. */
  let ahead = { from: '', to: '', savedMs: clock() };
  let sentMs = Number.NEGATIVE_INFINITY;
  let errors = 0;

  const isOver = () => isStopped || woken.signal.aborted;

  /** Waits, unless somebody stops it or wakes it. */
  async function pause(ms: number): Promise<void> {
    if (ms > 0 && !isOver()) await sleep(ms, undefined, { signal: woken.signal, ref: false }).catch(() => {});
  }

  /** By the clock of the service, which a test moves. One that is set back ends the pause. */
  async function waitForNextTry({ failing, last }: Hook): Promise<void> {
    if (failing === undefined || last === undefined) return;
    const left = () => failing.pauseMs - Math.abs(clock() - last.atMs);
    while (!isOver() && left() > 0) await pause(Math.min(left(), lookAgainMs));
  }

  /** One message, or the end of the wait for one. Gives whether to go on. */
  async function step(): Promise<boolean> {
    woken = new AbortController();
    const hook = await stored.get(project, id);
    seen = hook;
    if (hook === undefined || hook.stop !== undefined || isStopped) return false;
    await waitForNextTry(hook);
    if (isOver()) return true;
    const cursor = ahead.from === hook.cursor ? ahead.to : hook.cursor;
    const found = await nextChanges({ ...hook, cursor }, dependencies, isOver);
    if (found === undefined) await pause(lookAgainMs);
    else if (found.changes.length === 0) await goOn(hook, found.cursor);
    else await deliver(hook, cursor, found);
    return true;
  }

  /** Nothing was there for this webhook. */
  async function goOn(hook: Hook, to: string): Promise<void> {
    const isOld = Math.abs(clock() - ahead.savedMs) >= idleSaveMs;
    if (isOld || hook.waitingSinceSeconds !== undefined) {
      await save(hook, { cursor: to, waitingSinceSeconds: undefined });
      ahead = { from: to, to, savedMs: clock() };
    } else ahead = { ...ahead, from: hook.cursor, to };
  }

  async function deliver(hook: Hook, from: string, { changes, cursor, isLive }: Waiting): Promise<void> {
    await keys.readId(hook.keyId);
    const secret = keys.linkSecret(hook.keyId);
    if (secret === undefined) return;
    const [first = ''] = changes;
    const waitingSinceSeconds = await madeAtSeconds(project, first, dependencies);
    seen = { ...hook, waitingSinceSeconds };
    const data = [
      `"project":${JSON.stringify(project)}`,
      `"changes":[${changes.join(',')}]`,
      `"cursor":"${cursor}"`,
    ];
    await pause(sentMs + leastBetweenMs - performance.now());
    if (isOver()) return;
    const sent = await dependencies.sending(project)(async () => {
      // The key may have ended while others were sending.
      await keys.readId(hook.keyId);
      if (keys.linkSecret(hook.keyId) === undefined || isStopped) return undefined;
      sentMs = performance.now();
      // The cursor may be behind changes that are not for this webhook: it is another one when the same is sent again.
      const to = `${changes.length} ${txOf(changes.at(-1) ?? first) ?? cursor}`;
      const message = { id: messageId(id, from, to), type: 'changes', data, nowMs: clock() } as const;
      return await dependencies.send(hook.url, signMessage(message, hookSecret(secret, id)), aborted.signal);
    });
    if (sent === undefined || aborted.signal.aborted) return;
    dependencies.onSent?.(isTaken(sent) ? 'delivered' : 'failed', changes.length);
    if (isTaken(sent)) {
      const last = changes.at(-1) ?? first;
      await save(hook, {
        cursor,
        failing: undefined,
        last: lastOf(sent),
        waitingSinceSeconds: isLive ? undefined : await madeAtSeconds(project, last, dependencies),
      });
    } else await saveFailure({ ...hook, waitingSinceSeconds }, sent, { from, changes: changes.length });
  }

  async function saveFailure(
    hook: Hook,
    sent: Sent,
    { from, changes }: { readonly from: string; readonly changes: number },
  ): Promise<void> {
    const { waitingSinceSeconds, failing } = hook;
    if (sent.status === 410) return await stop(hook, 'gone', { waitingSinceSeconds, last: lastOf(sent) });
    const times = (failing?.times ?? 0) + 1;
    const pauseMs = Math.max(pauseAfter(times, Math.random()), sent.retryAfterMs ?? 0);
    const sinceSeconds = failing?.sinceSeconds ?? nowSeconds(clock);
    await save(hook, {
      // From here the same message is made again, also by another server.
      cursor: from,
      waitingSinceSeconds,
      last: lastOf(sent),
      failing: { sinceSeconds, times, changes, pauseMs },
    });
  }

  const lastOf = ({ status, failure }: Sent) => ({ atMs: clock(), status, failure });

  async function stop(hook: Hook, why: Stop, more: Partial<Hook> = {}): Promise<void> {
    await save(hook, { ...more, failing: undefined, stop: { why, sinceSeconds: nowSeconds(clock) } });
  }

  /** Unless another server has delivered meanwhile, or somebody has moved the cursor. */
  async function save(hook: Hook, after: Partial<Hook>): Promise<void> {
    await stored.change(hook, (row) => {
      if (row.cursor !== hook.cursor) return undefined;
      // Somebody has paused it, or has led it elsewhere, while it failed.
      const isSame = row.url === hook.url && row.stop === undefined;
      return isSame || after.failing === undefined
        ? { ...row, ...after, stop: row.stop ?? after.stop }
        : undefined;
    });
  }

  const isStored = (saving: Promise<void>) => saving.then(() => true).catch(() => false);

  async function run(): Promise<void> {
    for (;;) {
      try {
        if (!(await step())) return;
        errors = 0;
      } catch (cause) {
        // The feed ends with the server.
        if (isStopped) return;
        const isTooOld = cause instanceof RequestError && cause.status === 410;
        if (isTooOld && seen !== undefined && (await isStored(stop(seen, 'too_old')))) continue;
        if (errors++ === 0)
          log.error({ err: cause, project, hook: id }, 'a webhook could not go on and will');
        await pause(Math.min(longestErrorPauseMs, lookAgainMs * 2 ** Math.min(errors - 1, 10)));
      }
    }
  }

  return {
    wake: () => woken.abort(),
    get hook() {
      return seen;
    },
    stop() {
      isStopped = true;
      woken.abort();
    },
    abort: () => aborted.abort(),
    ended: run(),
  };
}
