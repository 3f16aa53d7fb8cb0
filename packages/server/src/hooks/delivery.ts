import { cursorTooOld } from '../feed/position.js';
import type { Clock } from '../lib/clock.js';
import type { Semaphore } from '../lib/concurrency/semaphore.js';
import { createTurn, type Turn } from '../lib/concurrency/turn.js';
import type { Log } from '../lib/log.js';
import { RequestError } from '../request-error.js';
import { type Hook, isTaken } from './hook.js';
import { hookSecret, type Message, messageId, signMessage } from './message.js';
import {
  madeAtSeconds,
  maxChanges,
  nextChanges,
  type ReadingHooks,
  txOf,
  type Waiting,
} from './next-changes.js';
import { createIdleCursor, notTaken, saveOutcome, stopped, taken } from './outcome.js';
import type { Send, Sent } from './send.js';
import type { StoredHooks } from './stored-hooks.js';
import { createWaking, type Waking } from './waking.js';

export interface DeliveryDependencies extends ReadingHooks {
  readonly stored: StoredHooks;
  readonly send: Send;
  readonly log: Pick<Log, 'error'>;
  /** Bounds what is sent at once for a project, whose keys take turns. */
  readonly sending: (project: string, keyId: string) => Semaphore;
  /** Bounds the large messages that are in memory at once, of all projects, which take turns. */
  readonly sendingLarge: (project: string) => Semaphore;
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
  /** Cuts off the message that is being sent. Call `stop` first: otherwise the next try follows. */
  abort(): void;
  /** Resolves when it has ended: it was stopped, or the webhook is, or there is none any more. */
  readonly ended: Promise<void>;
}

/** A message that is not full is sent this long after the one before it: what changes in between comes with it. */
const leastBetweenMs = 100;
/** How often a key that has ended is looked for, since an operator may give it back, and how often a pause asks the clock. */
const lookAgainMs = 1000;
const longestErrorPauseMs = 60_000;

/** Delivers what a webhook has to send, message by message in their order, until it is stopped. */
export function startDelivery(
  { project, id }: Pick<Hook, 'project' | 'id'>,
  dependencies: DeliveryDependencies,
): Delivery {
  const { stored, clock, log, keys } = dependencies;
  const aborted = new AbortController();
  const waking = createWaking();
  const idle = createIdleCursor(clock);
  let seen: Hook | undefined;
  let sentMs = Number.NEGATIVE_INFINITY;

  /** One message, or the end of the wait for one. Gives whether to go on. */
  async function step(): Promise<boolean> {
    waking.begin();
    const hook = await stored.get(project, id);
    seen = hook;
    if (hook === undefined || hook.stop !== undefined || waking.isStopped()) return false;
    await waitForNextTry(hook, clock, waking);
    if (waking.isOver()) return true;
    const cursor = idle.of(hook);
    const place = createTurn(dependencies.sending(project, hook.keyId));
    const memory = createTurn(dependencies.sendingLarge(project));
    // Many webhooks wait for a place: none of them keeps a large message meanwhile.
    const admitLarge = async () => {
      await place.take();
      await memory.take();
    };
    try {
      const reading = { isStored: cursor === hook.cursor, isOver: waking.isOver, admitLarge };
      const found = await nextChanges({ ...hook, cursor }, dependencies, reading);
      if (found === undefined) await waking.pause(lookAgainMs);
      else if (found.changes.length > 0) await deliver(hook, cursor, { ...found, place });
      else if (idle.move(hook, found.cursor)) {
        await save(hook, { cursor: found.cursor, waitingSinceSeconds: undefined }, dependencies);
        idle.saved(found.cursor);
      }
    } finally {
      memory.end();
      place.end();
    }
    return true;
  }

  async function deliver(
    hook: Hook,
    from: string,
    { place, ...found }: Waiting & { readonly place: Turn },
  ): Promise<void> {
    if ((await secretOf(hook, keys)) === undefined) return;
    const waitingSinceSeconds = await madeAtSeconds(project, found.changes[0] ?? '', dependencies);
    seen = { ...hook, waitingSinceSeconds };
    if (found.changes.length < maxChanges) await waking.pause(sentMs + leastBetweenMs - performance.now());
    if (waking.isOver()) return;
    await place.take();
    const sent = await send(hook, from, found);
    place.end();
    if (sent === undefined || aborted.signal.aborted) return;
    dependencies.onSent?.(isTaken(sent) ? 'delivered' : 'failed', found.changes.length);
    const tried = { ...hook, waitingSinceSeconds };
    await save(hook, await outcomeOf(tried, sent, { ...found, from }, dependencies), dependencies);
  }

  /** Undefined if the key has ended while others were sending. */
  async function send(hook: Hook, from: string, found: Waiting): Promise<Sent | undefined> {
    const secret = await secretOf(hook, keys);
    if (secret === undefined || waking.isStopped()) return undefined;
    sentMs = performance.now();
    const message = messageOf(hook, { ...found, from, secret, nowMs: clock() });
    return await dependencies.send(hook.url, message, aborted.signal);
  }

  async function run(): Promise<void> {
    for (let errors = 0; ; ) {
      try {
        if (!(await step())) return;
        errors = 0;
      } catch (cause) {
        // The feed ends with the server.
        if (waking.isStopped()) return;
        if (seen !== undefined && isTooOld(cause) && (await isStopStored(seen, dependencies))) continue;
        if (errors++ === 0)
          log.error(
            { err: cause, project, hook: id },
            'a delivery of a webhook failed and will be tried again',
          );
        await waking.pause(Math.min(longestErrorPauseMs, lookAgainMs * 2 ** Math.min(errors - 1, 10)));
      }
    }
  }

  return {
    wake: waking.wake,
    get hook() {
      return seen;
    },
    stop: waking.stop,
    abort: () => aborted.abort(),
    ended: run(),
  };
}

/** Waits by the clock of the service, which a test moves. One that is set back cannot make the pause last for ever. */
async function waitForNextTry({ failing, last }: Hook, clock: Clock, waking: Waking): Promise<void> {
  if (failing === undefined || last === undefined) return;
  const left = () => failing.pauseMs - Math.abs(clock() - last.atMs);
  while (!waking.isOver() && left() > 0) await waking.pause(Math.min(left(), lookAgainMs));
}

/** The secret of the key of a webhook; undefined if the key has ended. */
async function secretOf({ keyId }: Hook, keys: DeliveryDependencies['keys']): Promise<Buffer | undefined> {
  await keys.readId(keyId);
  return keys.linkSecret(keyId);
}

/** What changes in a webhook by a message from a cursor on. */
async function outcomeOf(
  hook: Hook,
  sent: Sent,
  { changes, cursor, isLive, from }: Waiting & { readonly from: string },
  dependencies: DeliveryDependencies,
): Promise<Partial<Hook>> {
  const nowMs = dependencies.clock();
  if (!isTaken(sent)) return notTaken(hook, sent, { from, changes: changes.length, nowMs });
  const last = changes.at(-1) ?? '';
  const waitingSinceSeconds = isLive ? undefined : await madeAtSeconds(hook.project, last, dependencies);
  return taken(sent, { cursor, waitingSinceSeconds }, nowMs);
}

/**
 * Whoever finds a cursor in these rows takes what is before it for there. So none is stored after a standby of the database
 * has taken over that lacks something of that.
 */
async function save(
  hook: Hook,
  outcome: Partial<Hook>,
  { stored, feed }: Pick<DeliveryDependencies, 'stored' | 'feed'>,
): Promise<void> {
  const { cursor = hook.cursor } = outcome;
  if (cursor !== hook.cursor && !(await feed.hasGiven(cursor))) throw cursorTooOld();
  await saveOutcome(stored, hook, outcome);
}

/** Whether the changes after the cursor of a webhook are not kept any more. */
function isTooOld(cause: unknown): boolean {
  return cause instanceof RequestError && cause.status === 410;
}

async function isStopStored(
  hook: Hook,
  { stored, clock }: Pick<DeliveryDependencies, 'stored' | 'clock'>,
): Promise<boolean> {
  return await saveOutcome(stored, hook, stopped('too_old', clock()))
    .then(() => true)
    .catch(() => false);
}

interface MessageOptions extends Pick<Waiting, 'changes' | 'cursor'> {
  readonly from: string;
  readonly secret: Buffer;
  readonly nowMs: number;
}

/** The message with changes, which is the same when they are sent again. */
function messageOf({ id, project }: Hook, { changes, cursor, from, secret, nowMs }: MessageOptions): Message {
  const data = [
    `"project":${JSON.stringify(project)}`,
    `"changes":[${changes.join(',')}]`,
    `"cursor":"${cursor}"`,
  ];
  // The cursor may come after changes that are not for this webhook: it is another one when the same is sent again.
  const to = `${changes.length} ${txOf(changes.at(-1) ?? '') ?? cursor}`;
  const content = { id: messageId(id, from, to), type: 'changes', data, nowMs } as const;
  return signMessage(content, hookSecret(secret, id));
}
