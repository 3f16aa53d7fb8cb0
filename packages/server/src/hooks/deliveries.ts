import { nowSeconds } from '../lib/clock.js';
import { repeat } from '../lib/concurrency/repeat.js';
import { resolveWithin } from '../lib/concurrency/time-limit.js';
import { logOutages } from '../lib/log-outages.js';
import { type Delivery, type DeliveryDependencies, startDelivery } from './delivery.js';
import { type Hook, lagSeconds } from './hook.js';

export interface DeliveriesDependencies extends DeliveryDependencies {
  /** Whether this server is the one that delivers. */
  readonly mayWork: () => boolean;
}

/** The webhooks that this server delivers. */
export interface DeliveryState {
  readonly webhooks: number;
  readonly failing: number;
  /** The age in seconds of the oldest change that was not delivered, of any webhook that is not paused. */
  readonly lagSeconds: number;
}

/** The deliveries of all webhooks of a store, by one of the servers that share it. */
export interface Deliveries {
  start(): void;
  /** A webhook was made, changed or deleted on this server. */
  wake(hook: Pick<Hook, 'project' | 'id'>): void;
  state(): DeliveryState;
  /** Ends all of them, with the messages that are being sent if they end soon. */
  stop(): Promise<void>;
}

const lookEveryMs = 1000;
/** In case an announcement was lost: a server may be killed between a change and that. */
const readAllEveryMs = 60_000;
const endWithinMs = 2000;

export function createDeliveries(dependencies: DeliveriesDependencies): Deliveries {
  const { stored, mayWork, log, clock } = dependencies;
  const running = new Map<string, Delivery>();
  let version: string | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  let endLooks: (() => Promise<void>) | undefined;
  let isStopped = false;

  function ensure(hook: Pick<Hook, 'project' | 'id'>): void {
    if (isStopped || running.has(hook.id)) return;
    const delivery = startDelivery(hook, dependencies);
    running.set(hook.id, delivery);
    void delivery.ended.finally(() => running.delete(hook.id));
  }

  async function look(): Promise<void> {
    if (!mayWork()) {
      version = undefined;
      for (const delivery of running.values()) {
        delivery.stop();
        // It may still be sending when this server delivers again, which then takes it for one that goes on.
        void delivery.ended.then(() => {
          version = undefined;
        });
      }
      return;
    }
    const found = await stored.version();
    if (found === version && performance.now() - readMs < readAllEveryMs) return;
    for (const delivery of running.values()) delivery.wake();
    for await (const hook of stored.all()) if (hook.stop === undefined) ensure(hook);
    version = found;
    readMs = performance.now();
  }

  return {
    start() {
      const work = logOutages(look, log, 'webhooks cannot be read');
      endLooks ??= repeat(work, () => lookEveryMs, 0);
    },
    wake(hook) {
      const delivery = running.get(hook.id);
      delivery?.wake();
      if (endLooks === undefined || !mayWork()) return;
      // One that is about to end would miss what was changed.
      if (delivery === undefined) ensure(hook);
      else void delivery.ended.then(() => mayWork() && ensure(hook));
    },
    state() {
      const hooks = [...running.values()].map(({ hook }) => hook).filter((hook) => hook !== undefined);
      const now = nowSeconds(clock);
      return {
        webhooks: hooks.length,
        failing: hooks.filter(({ failing }) => failing !== undefined).length,
        lagSeconds: Math.max(0, ...hooks.map((hook) => lagSeconds(hook, now))),
      };
    },
    async stop() {
      isStopped = true;
      for (const delivery of running.values()) delivery.stop();
      await endLooks?.();
      const ended = Promise.all(Array.from(running.values(), (delivery) => delivery.ended));
      await resolveWithin(endWithinMs, ended);
      for (const delivery of running.values()) delivery.abort();
      await ended;
    },
  };
}
