import { ownedBlobs } from '../drive/contents/owned-blobs.js';
import type { StoredBlob } from '../engines/blob-store.js';
import type { Store } from '../engines/store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';
import { holdIdentityOf } from './identity.js';
import { findOrphans, notOurBlobs } from './orphans.js';
import { createWaitingOrphans, maxWaiting } from './waiting-orphans.js';

export interface OrphanSweepDependencies extends Store {
  readonly clock: Clock;
  /** How long a blob without a row waits before it is deleted. */
  readonly ageSeconds: number;
  /** Whether this server does maintenance. */
  readonly mayWork: () => boolean;
  readonly log: Log;
  /** Called after a complete search. */
  readonly onSearched?: OnSearched | undefined;
  /** Called after orphans were deleted, with their number. */
  readonly onOrphansDeleted?: OnOrphansDeleted | undefined;
  /** A clock in milliseconds that nobody sets. */
  readonly monotonicMs?: () => number;
}

/** All blobs and their bytes, as a complete search found them. */
export type OnSearched = (found: { readonly blobs: number; readonly bytes: number }) => void;
export type OnOrphansDeleted = (count: number) => void;

export interface OrphanSweep {
  /** Searches as soon as this server does maintenance, and once a day, until `stop`. */
  start(): void;
  /**
   * Searches for blobs without a row, which then wait; or lets those that wait do so for longer; or deletes those that have
   * waited for `ageSeconds` and still have no row. Gives after how many milliseconds to call it again. Deletes nothing
   * when the blobs do not hold the identity of the rows: then the rows are those of another store, or were lost.
   */
  step(): Promise<number>;
  /** Resolves when a step in progress has ended. */
  stop(): Promise<void>;
}

const lookEveryMs = 10_000;
const waitStepMs = 60_000;
/** What a step counts at the most: another server may have watched while this one was suspended. */
const maxWaitStepMs = 2 * waitStepMs;
const onceADayMs = 24 * 60 * 60 * 1000;
const deleteAtOnce = 100;

/**
 * Deletes orphans in the background: blobs that a crash left between the write of the blob and of its row. A blob that is being
 * written has no row yet, either. Only time tells them apart, and the times of blobs and the clocks of servers may be
 * wrong. Therefore what is found waits, and is looked up again.
 */
export function createOrphanSweep(dependencies: OrphanSweepDependencies): OrphanSweep {
  const { items, blobs, clock, mayWork, log, onSearched, onOrphansDeleted } = dependencies;
  const { monotonicMs = () => performance.now() } = dependencies;
  const ageMs = dependencies.ageSeconds * 1000;
  const waiting = createWaitingOrphans(items);
  let end: (() => Promise<void>) | undefined;
  let stopped = false;
  let nextMs = Number.NEGATIVE_INFINITY;
  /** Up to when it has counted how long they wait; undefined while it does not watch. */
  let watchedMs: number | undefined;
  let isRefused = false;
  const mayContinue = () => !stopped && mayWork();

  async function step(): Promise<number> {
    const nowMs = monotonicMs();
    const watchedForMs = watchedMs === undefined ? 0 : Math.min(nowMs - watchedMs, maxWaitStepMs);
    const waitedMs = await waiting.wait(watchedForMs);
    if (waitedMs === undefined) return await search();
    watchedMs = nowMs;
    return waitedMs < ageMs ? waitStepMs : await deleteWaiting();
  }

  async function search(): Promise<number> {
    // Also if nothing is to be deleted: the operator must learn that the blobs were exchanged, or claimed by other rows.
    const areOurs = await mayDelete();
    let listed = 0;
    let bytes = 0;
    const onListed = (blob: StoredBlob) => {
      listed++;
      bytes += blob.sizeBytes;
    };
    const isCandidate = (blob: StoredBlob) => isDatedFar(blob, nowSeconds(clock), ageMs);
    const found: string[] = [];
    for await (const orphans of findOrphans({ items, blobs, isCandidate, mayContinue, onListed }))
      found.push(...orphans.slice(0, maxWaiting - found.length));
    if (!mayContinue()) return 0;
    onSearched?.({ blobs: listed, bytes });
    if (found.length === 0 || !areOurs) return onceADayMs;
    await waiting.put(found);
    watchedMs = monotonicMs();
    return waitStepMs;
  }

  async function deleteWaiting(): Promise<number> {
    const found = await waiting.read();
    if (found === undefined || found.waitedMs < ageMs) return 0;
    const { ids } = found;
    const isAll = !ids.isFull;
    for await (const id of ownedBlobs(items)) {
      ids.remove(id);
      if (!mayContinue()) return 0;
    }
    const orphans = [...ids.values()];
    let count = 0;
    for (let at = 0; at < orphans.length && (await mayDelete()); at += deleteAtOnce) {
      if (!mayContinue()) return 0;
      const some = orphans.slice(at, at + deleteAtOnce);
      await blobs.delete(some);
      onOrphansDeleted?.(some.length);
      count += some.length;
    }
    if (count > 0) log.info({ count }, 'blobs without a row removed');
    await waiting.clear();
    watchedMs = undefined;
    return isAll ? onceADayMs : 0;
  }

  /** Called immediately before each delete: another folder or bucket may have been mounted since the last one. */
  async function mayDelete(): Promise<boolean> {
    const isOurs = await holdIdentityOf({ items, blobs });
    if (!isOurs && !isRefused) log.error({}, `blobs without a row are not deleted: ${notOurBlobs}`);
    isRefused = !isOurs;
    return isOurs;
  }

  async function look(): Promise<void> {
    if (!mayContinue()) {
      watchedMs = undefined;
      return;
    }
    if (monotonicMs() < nextMs) return;
    const pauseMs = await step().catch((cause) => {
      log.error({ err: cause }, 'the search for blobs without a row failed and will be repeated');
      return onceADayMs;
    });
    // Another server continues. If this one gets the lease again, it does so at once.
    nextMs = monotonicMs() + (mayContinue() ? pauseMs : 0);
  }

  return {
    start() {
      end ??= repeat(look, () => lookEveryMs, 0);
    },
    step,
    async stop() {
      stopped = true;
      await end?.();
    },
  };
}

/**
 * Whether a blob is dated far from now. This only keeps most blobs that are being written from waiting: if a clock is wrong,
 * they wait, too, and the second look finds their rows.
 */
function isDatedFar({ writtenSeconds }: StoredBlob, seconds: number, ageMs: number): boolean {
  return Math.abs(seconds - writtenSeconds) * 1000 >= ageMs;
}
