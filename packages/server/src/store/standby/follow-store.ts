import { setTimeout as wait } from 'node:timers/promises';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import { claimDestination } from '../copy/copy-marker.js';
import { refuseRunningServer } from '../copy/running-server.js';
import type { SourceLog } from './source-log.js';
import { createStandby, type StandbyOptions } from './standby.js';

export interface FollowOptions extends StandbyOptions {
  /** Makes the destination equal to the source even if it holds something else. */
  readonly overwrite: boolean;
  /** Ends the following. What was applied stays, and the next run goes on from there. */
  readonly signal: AbortSignal;
}

/** Changes of this time are applied together. */
const restMs = 100;
/** How often a log is asked that does not say when there is more, and progress is told. */
const askEveryMs = 500;
const retryMs = 1000;

/**
 * Makes the destination equal to the source, as `copyStore` does, and keeps it so until it is ended: a standby. How far
 * it has come is stored there once it is applied, and applying something again does no harm: so it can be killed at any
 * moment, and goes on. When the source no longer has what comes next, all is compared again. While a place cannot
 * be reached, it waits. Rejects with `OperatorError` as `copyStore` does.
 */
export async function followStore(options: FollowOptions): Promise<void> {
  const { source, destination, log, listen, signal } = options;
  await log.epoch();
  await refuseRunningServer(destination.items);
  const claimed = await claimDestination(source, destination, {
    overwrite: options.overwrite,
    follows: true,
  });
  const standby = createStandby(options, claimed);
  const news = listenTo(log, signal);
  try {
    while (!signal.aborted) {
      try {
        if (await standby.step()) await news.wait();
        else await rest(signal);
      } catch (cause) {
        if (signal.aborted) return;
        if (!(cause instanceof StorageUnavailable)) throw cause;
        standby.waits(destination.failureOf?.(cause) ?? cause.message);
        listen(standby.progress());
        await rest(signal, retryMs);
      }
    }
  } finally {
    news.stop();
  }
}

/** Ends early with the signal. */
async function rest(signal: AbortSignal, ms = restMs): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}

/** Tells when there may be more: soon after a commit where the log says so. */
function listenTo(log: SourceLog, signal: AbortSignal) {
  let wake = () => {};
  let isNew = false;
  const stop = log.onCommit?.(() => {
    isNew = true;
    wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    /** Waits for more, and then a moment, so that what comes together is applied together. */
    async wait(): Promise<void> {
      if (!isNew && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, askEveryMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isNew = false;
      await rest(signal);
    },
    stop: () => stop?.(),
  };
}
