import type { PackRecord } from './read-records.js';
import type { PackBytes } from './worth-copying.js';

/** A pack that may have something to give back. */
export interface Candidate {
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

export type Candidates = ReturnType<typeof createCandidates>;

const longestRestMs = 60_000;

export function createCandidates(monotonicMs: () => number) {
  const byPack = new Map<string, Candidate>();

  function candidateOf(pack: string): Candidate {
    const known = byPack.get(pack);
    if (known !== undefined) return known;
    const added = { goneBytes: 0, goneAtMs: Number.NEGATIVE_INFINITY, addedMs: monotonicMs() };
    byPack.set(pack, added);
    return added;
  }

  return {
    byPack,

    /** Counts a deleted blob. */
    noteGone(pack: string, { lengthBytes }: PackRecord): void {
      const candidate = candidateOf(pack);
      candidate.goneAtMs = monotonicMs();
      candidate.goneBytes += lengthBytes;
      if (candidate.bytes === undefined) return;
      candidate.bytes.live -= lengthBytes;
      candidate.bytes.gone += lengthBytes;
    },

    /** Forgets how many bytes of a pack are gone. */
    remeasure(pack: string): void {
      candidateOf(pack).bytes = undefined;
    },

    /**
     * Whether nothing was deleted from a candidate for `restMs` milliseconds. One that has waited since `sinceMs` for a minute
     * does not wait for that any longer.
     */
    hasRested({ goneAtMs }: Candidate, sinceMs: number, restMs: number): boolean {
      const nowMs = monotonicMs();
      return nowMs - goneAtMs >= restMs || nowMs - sinceMs >= longestRestMs;
    },
  };
}
