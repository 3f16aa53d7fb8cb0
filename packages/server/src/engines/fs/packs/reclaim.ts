import { stat } from 'node:fs/promises';
import { onceDone } from '../../../lib/concurrency/once-done.js';
import { repeat } from '../../../lib/concurrency/repeat.js';
import { createSemaphore } from '../../../lib/concurrency/semaphore.js';
import type { PackRecord } from './read-records.js';
import { type Candidate, type Candidates, createCandidates } from './reclaim-candidates.js';
import { createPackRewriter, type PackRewriter, type PackRewriterDependencies } from './rewriter.js';
import { bytesOf, isWorthCopying, type Room, roomOf } from './worth-copying.js';

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

/**
 * Packs without a blob are removed. Others are written anew, with holes in place of what is gone, when enough of them is
 * gone.
 */
export function createReclaim(dependencies: ReclaimDependencies): Reclaim {
  const { folder, catalog, mayChange, monotonicMs } = dependencies;
  const rewriter = createPackRewriter({ ...dependencies, throwIfStopped });
  const removeUnfinished = onceDone(rewriter.removeUnfinished);
  const { byPack: candidates, noteGone, remeasure, hasRested } = createCandidates(monotonicMs);
  const measure = (pack: string) =>
    countBytes(pack, { ...dependencies, candidates, remove: rewriter.remove });
  const atMostEight = createSemaphore(() => packsAtOnce);
  let isStopped = false;
  let running = Promise.resolve();

  function throwIfStopped(): void {
    if (isStopped) throw new Error('The work on packs was stopped');
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
    if (candidate.bytes !== undefined || candidate.goneBytes >= candidate.sizeBytes) await measure(pack);
  }

  /** The next pack that is worth writing anew. */
  async function nextToTidy(room: Room, restMs: number): Promise<string | undefined> {
    for (const [pack, candidate] of [...candidates]) {
      if (isStopped) return undefined;
      if (!mayChange(pack)) continue;
      const mayBegin = (sinceMs: number) => room.isShort || hasRested(candidate, sinceMs, restMs);
      const { bytes: known } = candidate;
      if (known === undefined) {
        if (!mayBegin(candidate.addedMs)) continue;
        await attempt(pack, () => measure(pack));
        if (candidates.get(pack) !== candidate) continue;
      }
      const { bytes } = candidate;
      if (bytes === undefined || !isWorthCopying(bytes, room)) {
        candidate.worthSinceMs = undefined;
        continue;
      }
      candidate.worthSinceMs ??= known === undefined ? candidate.addedMs : monotonicMs();
      if (mayBegin(candidate.worthSinceMs)) return pack;
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
      noteGone(pack, record);
    },
    remeasure,
    run,
    async stop() {
      isStopped = true;
      await stop();
      await running;
    },
  };
}

interface CountDependencies extends Pick<ReclaimDependencies, 'inTurn' | 'recordsOf'> {
  readonly candidates: Candidates['byPack'];
  readonly remove: PackRewriter['remove'];
}

/**
 * Counts the bytes of a candidate by its records, and removes a pack without a blob. In the turn of the pack, so that each
 * delete is counted once.
 */
async function countBytes(
  pack: string,
  { inTurn, recordsOf, candidates, remove }: CountDependencies,
): Promise<void> {
  await inTurn(pack)(async () => {
    const { records, isDamaged } = await recordsOf(pack);
    const bytes = bytesOf(records);
    const candidate = candidates.get(pack);
    if (candidate !== undefined) candidate.bytes = bytes;
    // What cannot be told apart stays as it is.
    if (isDamaged || (bytes.gone === 0 && bytes.live > 0)) candidates.delete(pack);
    else if (bytes.live === 0) {
      candidates.delete(pack);
      await remove(pack);
    }
  });
}
