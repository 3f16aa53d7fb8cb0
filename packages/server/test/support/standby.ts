import type { TestContext } from 'node:test';
import type { Store } from '../../src/engines/store.js';
import { openStoredLog, type StoredLog } from '../../src/feed/stored-log.js';
import { type FollowOptions, followStore } from '../../src/store/standby/follow-store.js';
import { isFollowProgress, type StandbyProgress } from '../../src/store/standby/progress.js';
import { ownLog } from '../../src/store/standby/source-log.js';

/** A store whose changes are noted from now on. */
export async function noted(store: Store): Promise<StoredLog> {
  const log = await openStoredLog(store.items, Date.now, true);
  if (log === undefined) throw new Error('no log');
  return log;
}

export interface Standby {
  /** Resolves when the destination has everything that was acknowledged before the call, and nothing is to be done. */
  even(): Promise<void>;
  /** Resolves with the first progress, from now on, of which this is true. */
  told(isIt: (progress: StandbyProgress) => boolean): Promise<StandbyProgress>;
  stop(): Promise<void>;
  /** Rejects when following fails. */
  readonly ended: Promise<void>;
}

/** Makes a store a standby of another, until it is stopped. */
export function startStandby(
  context: TestContext,
  source: Store,
  destination: Store,
  { log, ...options }: Partial<Omit<FollowOptions, 'log'>> & { readonly log: StoredLog },
): Standby {
  const controller = new AbortController();
  const listeners = new Set<(progress: StandbyProgress) => void>();
  const ended = followStore({
    source,
    destination,
    overwrite: false,
    blobsAtOnce: 4,
    log: ownLog(log),
    signal: controller.signal,
    listen: (progress) => {
      for (const listener of listeners) listener(progress);
    },
    ...options,
  });
  ended.catch(() => {});
  const stop = async () => {
    controller.abort();
    await ended;
  };
  context.after(() => stop().catch(() => {}));

  function told(isIt: (progress: StandbyProgress) => boolean): Promise<StandbyProgress> {
    return new Promise((resolve, reject) => {
      const listener = (progress: StandbyProgress) => {
        if (!isIt(progress)) return;
        listeners.delete(listener);
        resolve(progress);
      };
      listeners.add(listener);
      ended.then(() => reject(new Error('It has ended')), reject);
    });
  }

  return {
    ended,
    stop,
    told,
    async even() {
      // The clock of a position is read before what it has.
      const sinceMs = Date.now() + 1;
      await told(
        (now) =>
          isFollowProgress(now) && now.phase === 'following' && now.lagSeconds === 0 && now.asOfMs >= sinceMs,
      );
    },
  };
}
