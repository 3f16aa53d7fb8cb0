import type { ItemStore } from '../engines/item-store.js';
import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';
import { createRest } from './upkeep-pace.js';

const lookEveryMs = 1000;
const retryMs = 60_000;
/** The share of the time that it takes: what 1 GB of deleted rows took is given back in some five minutes. */
const share = 1 / 20;

export interface RowShrinkDependencies {
  readonly items: Pick<ItemStore, 'shrink'>;
  readonly log: Pick<Log, 'error'>;
  readonly monotonicMs?: () => number;
}

/**
 * Gives the space back in the background that many deleted or replaced rows took. Without work if the engine does so by
 * itself.
 */
export function createRowShrink({
  items,
  log,
  monotonicMs = () => performance.now(),
}: RowShrinkDependencies) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let end: (() => Promise<void>) | undefined;
  let nextMs = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    if (monotonicMs() < nextMs) return;
    const rest = createRest({ share, monotonicMs, signal });
    try {
      await items.shrink?.({ mayContinue: () => !signal.aborted, rest, mayWait: true });
    } catch (cause) {
      nextMs = monotonicMs() + retryMs;
      log.error({ err: cause }, 'the space of deleted rows could not be given back; it will be tried again');
    }
  }

  return {
    /** Runs until `stop`. */
    start(): void {
      if (items.shrink !== undefined) end ??= repeat(look, () => lookEveryMs);
    },
    /** Resolves when the step in progress has ended. */
    async stop(): Promise<void> {
      stopping.abort();
      await end?.();
    },
  };
}
