import type { Store } from '../../src/engines/store.js';
import type { Clock } from '../../src/lib/clock.js';
import { createOrphanSweep, type OrphanSweep } from '../../src/store/orphan-sweep.js';

export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A sweep for which time passes as fast as it works. */
export interface OrphanRounds {
  readonly sweep: OrphanSweep;
  readonly errors: string[];
  /** Searches, waits and deletes until there is nothing to do for a day. Gives how many were deleted. */
  round(): Promise<number>;
  /** Does what it would do in this time. Gives how many were deleted. */
  work(forMs: number): Promise<number>;
  /** Lets time pass in which it does nothing. */
  sleep(ms: number): void;
}

export function orphanRounds({ items, blobs }: Store, clock: Clock): OrphanRounds {
  const errors: string[] = [];
  let monotonicMs = 0;
  let deleted = 0;
  const sweep = createOrphanSweep({
    items,
    blobs,
    clock,
    ageSeconds: 3600,
    mayWork: () => true,
    log: { info() {}, error: (_fields: unknown, message: string) => void errors.push(message) },
    onOrphansDeleted: (count) => {
      deleted += count;
    },
    monotonicMs: () => monotonicMs,
  });

  async function work(forMs: number): Promise<number> {
    const [before, endMs] = [deleted, monotonicMs + forMs];
    while (monotonicMs < endMs) {
      const pauseMs = await sweep.step();
      if (pauseMs === dayMs) break;
      monotonicMs += pauseMs;
    }
    return deleted - before;
  }

  return {
    sweep,
    errors,
    work,
    round: () => work(Number.POSITIVE_INFINITY),
    sleep(ms) {
      monotonicMs += ms;
    },
  };
}
