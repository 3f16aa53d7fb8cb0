import { type Clock, nowSeconds } from '../clock.js';
import { ownedBlobs } from '../drive/owned-blobs.js';
import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { createIdSet } from './id-set.js';

/** A blob is written before its row: for so long after it, its row may be about to come. */
export const orphanAgeSeconds = 60 * 60;
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
  /** Ends the search early. */
  readonly signal?: AbortSignal;
  readonly idsPerPass?: number;
}

/**
 * Blobs that no row names, in groups. The blobs are listed first and the rows are read after it, so a blob whose row
 * came meanwhile is none. Throws when a row cannot be read.
 */
export async function* findOrphans(search: OrphanSearch): AsyncGenerator<readonly string[]> {
  const { items, blobs, clock, ageSeconds, signal } = search;
  const candidates = createIdSet(search.idsPerPass ?? idsPerPass);
  const writtenBefore = nowSeconds(clock) - ageSeconds;

  async function withoutOwner(): Promise<readonly string[]> {
    for await (const id of ownedBlobs(items)) {
      candidates.remove(id);
      if (candidates.size === 0 || signal?.aborted) break;
    }
    const orphans = signal?.aborted ? [] : [...candidates.values()];
    candidates.clear();
    return orphans;
  }

  for await (const { id, writtenSeconds } of blobs.ids()) {
    if (signal?.aborted) return;
    if (writtenSeconds > writtenBefore) continue;
    candidates.add(id);
    if (candidates.isFull) yield await withoutOwner();
  }
  if (candidates.size > 0) yield await withoutOwner();
}

export interface OrphanSweepParts {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: {
    info(fields: Readonly<Record<string, unknown>>, message: string): void;
    error(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
}

export interface OrphanSweep {
  /** Looks now and once a day, until `stop`. */
  start(): void;
  /** Takes away every blob that has had no row for an hour; gives their number. */
  runOnce(): Promise<number>;
  /** Resolves when what is under way is done. */
  stop(): Promise<void>;
}

/** What a crash between a blob and its row leaves behind is taken away in the background. */
export function createOrphanSweep({ items, blobs, clock, log }: OrphanSweepParts): OrphanSweep {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;

  async function runOnce(): Promise<number> {
    let count = 0;
    const search = { items, blobs, clock, ageSeconds: orphanAgeSeconds, signal: stopping.signal };
    for await (const orphans of findOrphans(search)) {
      for (let at = 0; at < orphans.length && !stopping.signal.aborted; at += deleteAtOnce) {
        const ids = orphans.slice(at, at + deleteAtOnce);
        await blobs.delete(ids);
        count += ids.length;
      }
    }
    return count;
  }

  function tick(): void {
    running ??= runOnce()
      .then((count) => {
        if (count > 0) log.info({ count }, 'blobs without a row removed');
      })
      .catch((cause) => log.error({ err: cause }, 'looking for blobs without a row failed, will try again'))
      .finally(() => {
        running = undefined;
      });
  }

  return {
    start() {
      timer ??= setInterval(tick, onceADayMs).unref();
      tick();
    },
    runOnce,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}
