import { setTimeout as wait } from 'node:timers/promises';

/** Shorter times are gathered. */
const minRestMs = 50;

export interface UpkeepPace {
  /** The part of the time that the work may take. */
  readonly share: number;
  readonly monotonicMs: () => number;
  /** Ends a rest. */
  readonly signal: AbortSignal;
}

/**
 * Makes the function that rests as long after each step of the work as its share of the time asks for. The first step
 * begins now, so make one for each piece of work.
 */
export function createRest({ share, monotonicMs, signal }: UpkeepPace): () => Promise<void> {
  let endedMs = monotonicMs();
  let owedMs = 0;
  return async () => {
    owedMs += (monotonicMs() - endedMs) * (1 / share - 1);
    if (owedMs >= minRestMs) {
      await wait(owedMs, undefined, { signal, ref: false }).catch(() => {});
      owedMs = 0;
    } else await new Promise((resolve) => setImmediate(resolve));
    endedMs = monotonicMs();
  };
}
