import { FairQueue } from './fair-queue.js';
import { createReferenceCounted } from './reference-counted.js';

/**
 * Runs work as soon as the semaphore admits it, in the order of the calls; at once if nothing waits. `onWait` is called
 * before work waits.
 */
export type Semaphore = <T>(work: () => Promise<T>, onWait?: () => void) => Promise<T>;

/** A semaphore for each id that admits `atOnce` at a time. Those who share an id take turns. */
export function createSemaphores(atOnce: number): (id: string, who?: string) => Semaphore {
  const use = createReferenceCounted(() => createFairSemaphores(() => atOnce));
  return (id, who = '') =>
    (work, onWait) =>
      use(id, (semaphores) => semaphores(who)(work, onWait));
}

/**
 * A semaphore for each id. They admit `atOnce` at a time together, and each of them at most `ofOne`: whoever sends many
 * waits behind their own, and keeps others waiting for one. Owners of several ids take turns.
 */
export function createSharedSemaphores(
  atOnce: number,
  ofOne: number,
): (id: string, owner?: string) => Semaphore {
  const all = createFairSemaphores(() => atOnce);
  const own = createSemaphores(ofOne);
  return (id, owner = id) =>
    (work, onWait) =>
      own(id)(() => all(owner)(work, onWait), onWait);
}

/** At most `atOnce()` (1 or more) run at a time. `atOnce` is called again whenever work is submitted or ends. */
export function createSemaphore(atOnce: () => number): Semaphore {
  return createFairSemaphores(atOnce)('');
}

/**
 * A semaphore for each id. They admit `atOnce()` at a time together, as `createSemaphore` does, and in turns: nobody waits
 * for all that another id has sent.
 */
export function createFairSemaphores(atOnce: () => number): (id: string) => Semaphore {
  const waiting = new FairQueue<() => void>();
  let running = 0;

  function admit(): void {
    while (waiting.size > 0 && running < atOnce()) {
      // Counted here, so that no later caller takes the place.
      running++;
      waiting.shift()?.();
    }
  }

  return (id) => async (work, onWait) => {
    if (waiting.size === 0 && running < atOnce()) running++;
    else {
      onWait?.();
      await new Promise<void>((resolve) => {
        waiting.push({ project: id, keyId: '' }, resolve);
        admit();
      });
    }
    try {
      return await work();
    } finally {
      running--;
      admit();
    }
  };
}
