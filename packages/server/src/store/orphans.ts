import { ownedBlobs } from '../drive/owned-blobs.js';
import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { createIdSet } from './id-set.js';
import { identityBlob } from './identity.js';

const hourSeconds = 60 * 60;

/**
 * A blob is written before its row: for so long after it, its row may be about to come. An hour, or twice the time
 * that a request may take, if that is longer: a store may give a blob the time at which its upload began.
 */
export function orphanAgeSeconds(requestTimeoutMs: number): number {
  return Math.max(hourSeconds, Math.ceil((2 * requestTimeoutMs) / 1000));
}

const lookEveryMs = 10_000;
const onceADayMs = 24 * 60 * 60 * 1000;
/** Candidates of one reading of the rows: they take some 9 MB, however many blobs there are. */
const idsPerPass = 250_000;
const deleteAtOnce = 100;

export interface OrphanSearch {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  /** Only blobs that were written before so long. */
  readonly ageSeconds: number;
  /** Ends the search early when it says no. */
  readonly goesOn?: () => boolean;
  readonly idsPerPass?: number;
}

/**
 * Blobs that no row names, in groups. The blobs are listed first and the rows are read after it, so a blob whose row
 * came meanwhile is none. Throws when a row cannot be read.
 */
export async function* findOrphans(search: OrphanSearch): AsyncGenerator<readonly string[]> {
  const { items, blobs, clock, ageSeconds, goesOn = () => true } = search;
  const candidates = createIdSet(search.idsPerPass ?? idsPerPass);
  const writtenBefore = nowSeconds(clock) - ageSeconds;

  async function withoutOwner(): Promise<readonly string[]> {
    for await (const id of ownedBlobs(items)) {
      candidates.remove(id);
      if (candidates.size === 0 || !goesOn()) break;
    }
    const orphans = !goesOn() ? [] : [...candidates.values()];
    candidates.clear();
    return orphans;
  }

  for await (const { id, writtenSeconds } of blobs.ids()) {
    if (!goesOn()) return;
    if (writtenSeconds > writtenBefore || id === identityBlob) continue;
    candidates.add(id);
    if (candidates.isFull) yield await withoutOwner();
  }
  if (candidates.size > 0) yield await withoutOwner();
}

export interface OrphanSweepParts {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ageSeconds: number;
  /** Whether this server is the one that does it. */
  readonly mayWork: () => boolean;
  readonly log: Log;
}

export interface OrphanSweep {
  /** Looks as soon as this server is to do it, and once a day, until `stop`. */
  start(): void;
  /** Takes away every blob that has had no row for `ageSeconds`; gives their number. */
  runOnce(): Promise<number>;
  /** Resolves when what is under way is done. */
  stop(): Promise<void>;
}

/** What a crash between a blob and its row leaves behind is taken away in the background. */
export function createOrphanSweep(parts: OrphanSweepParts): OrphanSweep {
  const { items, blobs, clock, ageSeconds, mayWork, log } = parts;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;
  let stopped = false;
  let nextMs = 0;
  const goesOn = () => !stopped && mayWork();

  async function runOnce(): Promise<number> {
    let count = 0;
    for await (const orphans of findOrphans({ items, blobs, clock, ageSeconds, goesOn })) {
      for (let at = 0; at < orphans.length && goesOn(); at += deleteAtOnce) {
        const ids = orphans.slice(at, at + deleteAtOnce);
        await blobs.delete(ids);
        count += ids.length;
      }
    }
    return count;
  }

  function tick(): void {
    if (running !== undefined || !goesOn() || performance.now() < nextMs) return;
    nextMs = performance.now() + onceADayMs;
    running = runOnce()
      .then((count) => {
        if (count > 0) log.info({ count }, 'blobs without a row removed');
        // Another server goes on with it; should it come back to this one, it begins anew.
        if (!goesOn()) nextMs = 0;
      })
      .catch((cause) => log.error({ err: cause }, 'looking for blobs without a row failed, will try again'))
      .finally(() => {
        running = undefined;
      });
  }

  return {
    start() {
      timer ??= setInterval(tick, lookEveryMs).unref();
      tick();
    },
    runOnce,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
