import { ownedBlobs } from '../drive/contents/owned-blobs.js';
import type { StoredBlob } from '../engines/blob-store.js';
import type { Store } from '../engines/store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { createIdSet } from './id-set.js';
import { holdIdentityOf, identityBlob } from './identity.js';

const hourSeconds = 60 * 60;

/**
 * The age in seconds from which a blob without a row is an orphan. A blob is written before its row, so a younger one
 * may still get its row. An hour, or twice the time limit of a request if that is longer: a blob store may date a
 * blob by the start of its upload.
 */
export function orphanAgeSeconds(requestTimeoutMs: number): number {
  return Math.max(hourSeconds, Math.ceil((2 * requestTimeoutMs) / 1000));
}

const checkEveryMs = 10_000;
const onceADayMs = 24 * 60 * 60 * 1000;
/** How many blobs are compared with one scan of the rows. Their ids take some 9 MB, however many blobs there are. */
const idsPerPass = 250_000;
const deleteAtOnce = 100;

/** Why blobs without a row were left in place. */
export const notOurBlobs = 'the blobs do not hold the identity of these rows';

export interface OrphanSearch extends Store {
  readonly clock: Clock;
  /** Younger blobs are not orphans. */
  readonly ageSeconds: number;
  /** Ends the search early when it returns false. */
  readonly mayContinue?: () => boolean;
  readonly idsPerPass?: number;
  /** Called for every blob that is listed. */
  readonly onListed?: ((blob: StoredBlob) => void) | undefined;
}

/**
 * Orphans, in groups: blobs that no row names. The blobs are listed before the rows are read, so a blob whose row is
 * written in the meantime is not among them. Throws `RowUnreadable` if a row cannot be read. A caller that
 * deletes orphans must call `holdIdentityOf` immediately before.
 */
export async function* findOrphans(search: OrphanSearch): AsyncGenerator<readonly string[]> {
  const { items, blobs, clock, ageSeconds, mayContinue = () => true, onListed } = search;
  const candidates = createIdSet(search.idsPerPass ?? idsPerPass);
  const writtenBefore = nowSeconds(clock) - ageSeconds;

  async function withoutOwner(): Promise<readonly string[]> {
    for await (const id of ownedBlobs(items)) {
      candidates.remove(id);
      if (candidates.size === 0 || !mayContinue()) break;
    }
    const orphans = mayContinue() ? [...candidates.values()] : [];
    candidates.clear();
    return orphans;
  }

  for await (const blob of blobs.ids()) {
    if (!mayContinue()) return;
    onListed?.(blob);
    const { id, writtenSeconds } = blob;
    if (writtenSeconds > writtenBefore || id === identityBlob) continue;
    candidates.add(id);
    if (candidates.isFull) yield await withoutOwner();
  }
  if (candidates.size > 0) yield await withoutOwner();
}

export interface OrphanSweepDependencies extends Store {
  readonly clock: Clock;
  readonly ageSeconds: number;
  /** Whether this server does maintenance. */
  readonly mayWork: () => boolean;
  readonly log: Log;
  /** Called after a complete search. */
  readonly onSearched?: OnSearched | undefined;
}

/** What a complete search found: all blobs and their bytes, and how many orphans it deleted. */
export type OnSearched = (found: {
  readonly blobs: number;
  readonly bytes: number;
  readonly deleted: number;
}) => void;

export interface OrphanSweep {
  /** Runs as soon as this server does maintenance, and once a day, until `stop`. */
  start(): void;
  /**
   * Deletes every blob that has had no row for `ageSeconds`, and gives their number. Deletes nothing when the blobs do
   * not hold the identity of the rows: then the rows are those of another store, or were lost.
   */
  runOnce(): Promise<number>;
  /** Resolves when a run in progress has ended. */
  stop(): Promise<void>;
}

/** Deletes orphans in the background: blobs that a crash left between the write of the blob and of its row. */
export function createOrphanSweep(dependencies: OrphanSweepDependencies): OrphanSweep {
  const { items, blobs, clock, ageSeconds, mayWork, log, onSearched } = dependencies;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;
  let stopped = false;
  let nextMs = 0;
  let isRefused = false;
  const mayContinue = () => !stopped && mayWork();

  async function runOnce(): Promise<number> {
    let count = 0;
    let listed = 0;
    let bytes = 0;
    const onListed = (blob: StoredBlob) => {
      listed++;
      bytes += blob.sizeBytes;
    };
    for await (const orphans of findOrphans({ items, blobs, clock, ageSeconds, mayContinue, onListed })) {
      for (let at = 0; at < orphans.length && mayContinue(); at += deleteAtOnce) {
        const ids = orphans.slice(at, at + deleteAtOnce);
        if (!(await mayDelete())) return count;
        await blobs.delete(ids);
        count += ids.length;
      }
    }
    if (mayContinue()) onSearched?.({ blobs: listed, bytes, deleted: count });
    return count;
  }

  /** Called immediately before each delete: another folder or bucket may have been mounted since the last one. */
  async function mayDelete(): Promise<boolean> {
    const isOurs = await holdIdentityOf({ items, blobs });
    if (!isOurs && !isRefused) log.error({}, `blobs without a row are not deleted: ${notOurBlobs}`);
    isRefused = !isOurs;
    return isOurs;
  }

  function tick(): void {
    if (running !== undefined || !mayContinue() || performance.now() < nextMs) return;
    nextMs = performance.now() + onceADayMs;
    running = runOnce()
      .then((count) => {
        if (count > 0) log.info({ count }, 'blobs without a row removed');
        // Another server continues. If this one gets the lease again, it starts from the beginning.
        if (!mayContinue()) nextMs = 0;
      })
      .catch((cause) =>
        log.error({ err: cause }, 'the search for blobs without a row failed and will be repeated'),
      )
      .finally(() => {
        running = undefined;
      });
  }

  return {
    start() {
      timer ??= setInterval(tick, checkEveryMs).unref();
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
