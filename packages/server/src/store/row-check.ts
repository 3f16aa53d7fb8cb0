import { basename } from 'node:path';
import type { ItemStore } from '../engines/item-store.js';
import type { Log } from '../lib/log.js';

const lookEveryMs = 60_000;
const onceADayMs = 24 * 60 * 60 * 1000;

export interface RowCheckParts {
  readonly items: Pick<ItemStore, 'verify'>;
  readonly log: Log;
  readonly monotonicMs?: () => number;
}

export interface RowCheck {
  /** Runs once a day, until `stop`. Not at once: rows are checked when they are opened. */
  start(): void;
  /** Resolves when a run in progress has ended. */
  stop(): Promise<void>;
}

/**
 * Compares the checksums of stored rows in the background, so that damage is found on a server that runs for months. The
 * engine refuses all requests once it has found any. Without work if the engine has no checksums to compare.
 */
export function createRowCheck({
  items,
  log,
  monotonicMs = () => performance.now(),
}: RowCheckParts): RowCheck {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;
  let stopped = false;
  let nextMs = monotonicMs() + onceADayMs;

  async function run(): Promise<void> {
    for await (const { file, offset, problem } of items.verify?.(() => !stopped) ?? []) {
      log.error({ file: basename(file), offset, problem }, 'the rows are damaged');
    }
  }

  function tick(): void {
    if (running !== undefined || stopped || monotonicMs() < nextMs) return;
    nextMs = monotonicMs() + onceADayMs;
    running = run()
      .catch((cause) => log.error({ err: cause }, 'the check of the rows failed and will be repeated'))
      .finally(() => {
        running = undefined;
      });
  }

  return {
    start() {
      timer ??= setInterval(tick, lookEveryMs).unref();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
