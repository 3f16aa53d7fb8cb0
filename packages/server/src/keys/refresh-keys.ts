import type { Log } from '../lib/log.js';

const shortestMs = 600;
const longestMs = 1000;

/**
 * "A key revoked on one server stops on all": with shared rows the ring is read again every second, at moments of
 * chance, so that many servers do not ask at once. While the rows are away the keys stay as they were. Gives what
 * ends it, and resolves when what is under way is done.
 */
export function refreshKeys(keys: { reload(): Promise<void> }, log: Log): () => Promise<void> {
  let isAway = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  async function reload(): Promise<void> {
    try {
      await keys.reload();
      if (isAway) log.info({}, 'keys are read again');
      isAway = false;
    } catch (cause) {
      if (!isAway) log.error({ err: cause }, 'keys cannot be read, those that are known stay');
      isAway = true;
    }
    if (!stopped) plan();
  }

  function plan(): void {
    const ms = shortestMs + Math.random() * (longestMs - shortestMs);
    timer = setTimeout(() => {
      running = reload();
    }, ms).unref();
  }

  plan();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
