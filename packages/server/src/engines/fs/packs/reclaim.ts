import { stat } from 'node:fs/promises';
import { onceDone } from '../../../lib/concurrency/once-done.js';
import { repeat } from '../../../lib/concurrency/repeat.js';
import { createSemaphore } from '../../../lib/concurrency/semaphore.js';
import type { PackRecord } from './read-records.js';
import { createPackRewriter, type PackRewriterDependencies } from './rewriter.js';
import { bytesOf, isWorthCopying, type PackBytes, type Room, roomOf } from './worth-copying.js';

/** Gives the room of deleted blobs back to the disk. */
export interface Reclaim {
  /** Notes that a blob was marked as gone. Call it while you have the turn of its pack. */
  noteGone(pack: string, record: PackRecord): void;
  /** Forgets how many bytes of a pack are gone. They are counted again soon, and what is worth it is given back. */
  remeasure(pack: string): void;
  /**
   * Removes the packs without a blob, and writes anew those that are worth it. A pack from which something was deleted less
   * than `restMs` milliseconds ago is left for later, because the rest of it may be deleted soon; but not for longer than
   * a minute. Never rejects.
   */
  run(restMs: number): Promise<void>;
  /** Resolves when the work in progress has ended, which is soon. */
  stop(): Promise<void>;
}

export interface ReclaimDependencies extends Omit<PackRewriterDependencies, 'throwIfStopped'> {
  readonly folder: string;
  /** Whether this process may change the file of a pack, and nobody appends to it. */
  readonly mayChange: (pack: string) => boolean;
  readonly monotonicMs: () => number;
}

const packsAtOnce = 8;
const everyMs = 2000;
const usualRestMs = 5000;
const longestRestMs = 60_000;

/**
 * Packs without a blob are removed. Others are written anew, with holes in place of what is gone, when enough of them is
 * gone.
 */
export function createReclaim(dependencies: ReclaimDependencies): Reclaim {
  const { folder, catalog, inTurn, mayChange, recordsOf, monotonicMs } = dependencies;
  const rewriter = createPackRewriter({ ...dependencies, throwIfStopped });
  const removeUnfinished = onceDone(rewriter.removeUnfinished);
  /** The packs that may have something to give back. */
  const candidates = new Map<string, Candidate>();
  const atMostEight = createSemaphore(() => packsAtOnce);
  let isStopped = false;
  let running = Promise.resolve();

  function throwIfStopped(): void {
    if (isStopped) throw new Error('The work on packs was stopped');
  }

  function add(pack: string): Candidate {
    const candidate = { goneBytes: 0, goneAtMs: Number.NEGATIVE_INFINITY, addedMs: monotonicMs() };
    candidates.set(pack, candidate);
    return candidate;
  }

  /** If the work fails, the pack becomes a candidate again with the next delete, or with the daily list of all blobs. */
  async function attempt(pack: string, work: () => Promise<void>): Promise<void> {
    const candidate = candidates.get(pack);
    try {
      await removeUnfinished().catch(() => {});
      await work();
    } catch {
      if (candidates.get(pack) === candidate) candidates.delete(pack);
    }
  }

  /**
   * Counts the bytes of a pack by its records, and removes a pack without a blob. In the turn of the pack, so that each delete is
   * counted once.
   */
  async function measure(pack: string, candidate: Candidate): Promise<void> {
    await inTurn(pack)(async () => {
      const { records, isDamaged } = await recordsOf(pack);
      const bytes = bytesOf(records);
      candidate.bytes = bytes;
      // What cannot be told apart stays as it is.
      if (isDamaged || (bytes.gone === 0 && bytes.live > 0)) candidates.delete(pack);
      else if (bytes.live === 0) {
        candidates.delete(pack);
        await rewriter.remove(pack);
      }
    });
  }

  /** Checks several packs at once: under load, each read of a record waits for the writes and syncs of uploads. */
  async function removeEmpty(): Promise<void> {
    const checks: Promise<void>[] = [];
    for (const [pack, candidate] of candidates) {
      const { bytes, goneBytes } = candidate;
      const mayBeEmpty = bytes === undefined ? goneBytes > 0 : bytes.live === 0;
      if (!mayBeEmpty || !mayChange(pack)) continue;
      checks.push(atMostEight(() => attempt(pack, () => removeIfEmpty(pack, candidate))));
    }
    await Promise.all(checks);
  }

  /** The count of what was deleted only says where to look: the last record of a pack may have been cut off by a kill. */
  async function removeIfEmpty(pack: string, candidate: Candidate): Promise<void> {
    if (isStopped) return;
    candidate.sizeBytes ??= (await stat(catalog.pathOf(pack))).size;
    if (candidate.bytes !== undefined || candidate.goneBytes >= candidate.sizeBytes)
      await measure(pack, candidate);
  }

  /** The next pack that is worth writing anew. */
  async function nextToTidy(room: Room, restMs: number): Promise<string | undefined> {
    for (const [pack, candidate] of [...candidates]) {
      if (isStopped) return undefined;
      if (!mayChange(pack)) continue;
      const hasRested = (sinceMs: number) => {
        const nowMs = monotonicMs();
        return nowMs - candidate.goneAtMs >= restMs || nowMs - sinceMs >= longestRestMs || room.isShort;
      };
      const { bytes: known } = candidate;
      if (known === undefined) {
        if (!hasRested(candidate.addedMs)) continue;
        await attempt(pack, () => measure(pack, candidate));
        if (candidates.get(pack) !== candidate) continue;
      }
      const { bytes } = candidate;
      if (bytes === undefined || !isWorthCopying(bytes, room)) {
        candidate.worthSinceMs = undefined;
        continue;
      }
      candidate.worthSinceMs ??= known === undefined ? candidate.addedMs : monotonicMs();
      if (hasRested(candidate.worthSinceMs)) return pack;
    }
    return undefined;
  }

  async function runOnce(restMs: number): Promise<void> {
    while (candidates.size > 0 && !isStopped) {
      await removeEmpty();
      const room = await roomOf(folder);
      const pack = room && (await nextToTidy(room, restMs));
      if (pack === undefined) return;
      // What is deleted once its records are read makes it a candidate again.
      await attempt(pack, () => rewriter.rewrite(pack, () => void candidates.delete(pack)));
    }
  }

  function run(restMs: number): Promise<void> {
    running = running.then(() => runOnce(restMs));
    return running;
  }

  const stop = repeat(
    () => run(usualRestMs),
    () => everyMs,
  );

  return {
    noteGone(pack, record) {
      rewriter.noteGone(pack, record);
      const candidate = candidates.get(pack) ?? add(pack);
      candidate.goneAtMs = monotonicMs();
      candidate.goneBytes += record.lengthBytes;
      if (candidate.bytes === undefined) return;
      candidate.bytes.live -= record.lengthBytes;
      candidate.bytes.gone += record.lengthBytes;
    },
    remeasure(pack) {
      const candidate = candidates.get(pack) ?? add(pack);
      candidate.bytes = undefined;
    },
    run,
    async stop() {
      isStopped = true;
      await stop();
      await running;
    },
  };
}

interface Candidate {
  /** What was deleted from it since it became one. */
  goneBytes: number;
  /** When something was deleted from it last. */
  goneAtMs: number;
  /** When it became a candidate. */
  readonly addedMs: number;
  sizeBytes?: number;
  /** Absent until its records are read. */
  bytes?: PackBytes | undefined;
  /** Since when it is worth writing anew; absent while it is not. */
  worthSinceMs?: number | undefined;
}
