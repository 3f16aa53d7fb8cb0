import { setTimeout } from 'node:timers/promises';
import { createSemaphore } from '../../lib/concurrency/semaphore.js';
import { StorageUnavailable } from '../storage-errors.js';

/** The table could not be locked in time. */
export class TableBusy extends Error {
  override readonly name = 'TableBusy';
}

/** Makes one change of a header after the other. `work` is given how long it may wait for the lock of the table. */
export type HeaderTurns = <T>(work: (lockMs: number) => Promise<T>) => Promise<T>;

/**
 * How long a change waits for the lock, one attempt after the other. Transactions of servers end within the first ones.
 * PostgreSQL ends an autovacuum that is in the way of an attempt of more than a second.
 */
const lockMs = [30, 60, 125, 250, 500, 1500];
/** Writers have at least this many times as long as they may have waited. */
const restFactor = 3;

/**
 * The turns of the changes of headers that a server makes. Each of them locks the table, for which writers of all spaces
 * wait. Measured, of four writers elsewhere: eight loops that declare and drop indexes left them 11 to 24 % of their puts, and
 * one loop beside foreign transactions of a second 1 to 2 %. With turns, it is 90 % and more. A change that gets no lock
 * rejects with `StorageUnavailable`, after some 5 s.
 */
export function createHeaderTurns(): HeaderTurns {
  const oneAtATime = createSemaphore(() => 1);
  let restUntilMs = 0;

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    const restMs = restUntilMs - performance.now();
    if (restMs > 0) await setTimeout(restMs);
    const beganMs = performance.now();
    try {
      return await work();
    } finally {
      const nowMs = performance.now();
      restUntilMs = nowMs + restFactor * (nowMs - beganMs);
    }
  }

  return (work) =>
    oneAtATime(async () => {
      for (const ms of lockMs) {
        try {
          return await attempt(() => work(ms));
        } catch (cause) {
          if (!(cause instanceof TableBusy)) throw cause;
        }
      }
      throw new StorageUnavailable('Other transactions kept the table from being locked');
    });
}
