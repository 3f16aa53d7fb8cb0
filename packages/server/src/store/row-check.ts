import type { OnDamage } from '../engines/engine.js';
import type { ItemStore } from '../engines/item-store.js';
import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';
import { createRest } from './upkeep-pace.js';

const lookEveryMs = 1000;
const onceADayMs = 24 * 60 * 60 * 1000;
/** The share of the time that the comparison takes: 1 GB is compared in some seven minutes. */
const share = 1 / 200;

export interface RowCheckDependencies {
  readonly items: Pick<ItemStore, 'verify' | 'reads'>;
  readonly log: Pick<Log, 'error'>;
  /** Is given the damage that is found: again in each run. */
  readonly onDamage: OnDamage;
  readonly monotonicMs?: () => number;
}

/**
 * Compares stored rows with their checksums in the background: the files again and again while rows are read from them,
 * and everything once a day. So damage is found that no read shows, such as a row that seems to be missing. Without work
 * if the engine has no checksums to compare.
 */
export function createRowCheck(dependencies: RowCheckDependencies) {
  const { items, log, onDamage, monotonicMs = () => performance.now() } = dependencies;
  const stopping = new AbortController();
  const { signal } = stopping;
  let end: (() => Promise<void>) | undefined;
  let nextWholeMs = monotonicMs() + onceADayMs;
  /** Below any number of reads: the first run is soon after the start, which relies on earlier comparisons. */
  let reads = -1;

  async function run(filesOnly: boolean): Promise<void> {
    const pace = {
      filesOnly,
      mayContinue: () => !signal.aborted,
      rest: createRest({ share, monotonicMs, signal }),
    };
    for await (const damage of items.verify?.(pace) ?? []) onDamage(damage);
  }

  async function look(): Promise<void> {
    const isWhole = monotonicMs() >= nextWholeMs;
    const isRead = (items.reads?.() ?? 0) > reads;
    if (!isWhole && !isRead) return;
    if (isWhole) nextWholeMs = monotonicMs() + onceADayMs;
    reads = items.reads?.() ?? 0;
    await run(!isWhole).catch((cause) =>
      log.error({ err: cause }, 'the check of the rows failed and will be repeated'),
    );
  }

  return {
    /** Runs until `stop`. */
    start(): void {
      end ??= repeat(look, () => lookEveryMs);
    },
    /** Resolves when a run in progress has ended. */
    async stop(): Promise<void> {
      stopping.abort();
      await end?.();
    },
  };
}
