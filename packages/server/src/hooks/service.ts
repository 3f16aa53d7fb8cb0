import type { Grant } from '../access/grant.js';
import { ranks } from '../access/rights.js';
import { readSelection } from '../feed/changes-parameters.js';
import { cursorOf } from '../feed/position.js';
import type { FeedService } from '../feed/service.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { runAtOnce } from '../lib/concurrency/time-slices.js';
import { randomId } from '../lib/random-id.js';
import { abandoned, refused, tooManyWrites } from '../request-error.js';
import { createDeliveries, type Deliveries, type DeliveriesDependencies } from './deliveries.js';
import type { Hook } from './hook.js';
import type { HookChange, NewHook } from './hook-body.js';
import { hookSecret, signMessage } from './message.js';
import type { MayReach } from './reachable.js';
import type { Sent } from './send.js';

/** What the operations of docs/http.md#webhooks work with. */
export interface HookServices {
  readonly clock: Clock;
  readonly hooks: HookService;
}

/** The webhooks of a project, as the holder of a key sees them. */
export interface HookService {
  readonly mayReach: MayReach;
  /** Whether the key that made a webhook is still valid. */
  isKeyValid(hook: Hook): boolean;
  /** Those that the key may see: all, or those that it made. */
  list(grant: Grant): Promise<readonly Hook[]>;
  /** Gives it with its secret. Throws the `RequestError` of a project with too many, or of a server that keeps no changes. */
  create(grant: Grant, wanted: NewHook): Promise<{ readonly hook: Hook; readonly secret: Buffer }>;
  /** Throws the 404 `RequestError` if the key sees none with this id; so do the others. */
  change(grant: Grant, id: string, change: HookChange): Promise<Hook>;
  delete(grant: Grant, id: string): Promise<void>;
  /** Sends a message without changes, and gives what became of it. */
  test(grant: Grant, id: string): Promise<Sent>;
}

export interface Hooks extends Pick<Deliveries, 'start' | 'stop' | 'state'> {
  readonly service: HookService;
}

export interface HooksDependencies extends DeliveriesDependencies {
  readonly mayReach: MayReach;
}

export function createHooks(dependencies: HooksDependencies): Hooks {
  const { stored, feed, keys, clock, mayReach } = dependencies;
  const deliveries = createDeliveries(dependencies);
  const tests = createTests(dependencies);

  const readKey = async <Of extends Pick<Hook, 'keyId'>>(hook: Of): Promise<Of> => {
    await keys.readId(hook.keyId);
    return hook;
  };

  async function find(grant: Grant, id: string): Promise<Hook> {
    const hook = await stored.get(grant.project, id);
    if (hook === undefined || !mayChange(grant, hook)) throw hookNotFound();
    return hook;
  }

  async function tell(hook: Pick<Hook, 'project' | 'id'>): Promise<void> {
    deliveries.wake(hook);
    await stored.announce();
  }

  const service: HookService = {
    mayReach,
    isKeyValid: ({ keyId, project }) => keys.grantOf(keyId)?.project === project,

    async list(grant) {
      const found = (await stored.list(grant.project)).filter((hook) => mayChange(grant, hook));
      return await Promise.all(found.map(readKey));
    },

    async create(grant, { url, name, followed, since }) {
      await readKey(grant);
      const keySecret = keys.linkSecret(grant.keyId);
      if (keySecret === undefined) throw refused('unauthorized', 'Unauthorized');
      const { project, keyId } = grant;
      const id = randomId();
      const cursor = await cursorFor(feed, grant, since);
      const createdSeconds = nowSeconds(clock);
      const hook = { id, project, keyId, url, name, followed, createdSeconds, cursor };
      if (!(await stored.create(hook)))
        throw refused('too_many_hooks', 'The project has reached its limit of webhooks');
      await tell(hook);
      return { hook, secret: hookSecret(keySecret, id) };
    },

    async change(grant, id, { url, name, isPaused, since }) {
      const found = await find(grant, id);
      const cursor = since && (await cursorFor(feed, grant, since.is));
      const stop = { why: 'paused', sinceSeconds: nowSeconds(clock) } as const;
      const changed = await stored.change(found, (before) => ({
        ...before,
        url: url ?? before.url,
        name: name === undefined ? before.name : name.is,
        ...(cursor !== undefined && { cursor, waitingSinceSeconds: undefined }),
        stop: isPaused === undefined ? before.stop : isPaused ? (before.stop ?? stop) : undefined,
        // It is tried again at once.
        failing: undefined,
      }));
      if (changed === undefined) throw hookNotFound();
      await tell(changed);
      return await readKey(changed);
    },

    async delete(grant, id) {
      const hook = await find(grant, id);
      if (!(await stored.delete(hook.project, id))) throw hookNotFound();
      await tell(hook);
    },

    test: async (grant, id) => await tests.send(await readKey(await find(grant, id))),
  };
  return {
    service,
    start: deliveries.start,
    state: deliveries.state,
    async stop() {
      await deliveries.stop();
      tests.stop();
    },
  };
}

function mayChange(grant: Grant, { keyId }: Hook): boolean {
  return grant.rank >= ranks['no limit'] || keyId === grant.keyId;
}

/**
 * Where a webhook begins: at this moment, if nothing is said. Also `0` becomes a cursor: the snapshot that is sent again,
 * because nobody knows whether it was taken, must be followed by what was deleted since the first time.
 */
async function cursorFor(feed: FeedService, grant: Grant, since: string | undefined): Promise<string> {
  const reader = { project: grant.project, grant, isOver: () => false };
  const everything = runAtOnce(readSelection({ get: () => undefined }));
  const batches = feed.follow(reader, everything, since);
  const first = await batches.next();
  void batches.return(undefined).catch(() => {});
  if (first.done) throw abandoned();
  return since === undefined || since === '0' ? cursorOf(first.value.position) : since;
}

/** Sends messages without changes: of each webhook one at a time, until it is stopped. */
function createTests({ keys, clock, send, sending }: HooksDependencies) {
  const tested = new Set<string>();
  const ended = new AbortController();
  return {
    async send({ id, keyId, url, project }: Hook): Promise<Sent> {
      const keySecret = keys.linkSecret(keyId);
      if (keySecret === undefined)
        throw refused('hook_key_ended', 'The key of the webhook was deleted or has expired');
      if (tested.has(id)) throw tooManyWrites();
      tested.add(id);
      try {
        const data = [`"project":${JSON.stringify(project)}`];
        const content = { id: `msg_${randomId()}`, type: 'test', data, nowMs: clock() } as const;
        const message = signMessage(content, hookSecret(keySecret, id));
        return await sending(project, keyId)(() => send(url, message, ended.signal));
      } finally {
        tested.delete(id);
      }
    },
    stop: () => ended.abort(),
  };
}

function hookNotFound() {
  return refused('hook_not_found', 'Webhook not found');
}
