import type { Log } from './log.js';

/**
 * The same work without a rejection, for what is done again and again: a failure is logged with the message, those that
 * follow it are not. `onRecovery` is called at the first success after them.
 */
export function logOutages(
  work: () => Promise<unknown>,
  log: Pick<Log, 'error'>,
  failure: string,
  onRecovery?: () => void,
): () => Promise<void> {
  let isFailing = false;
  return async () => {
    try {
      await work();
      if (isFailing) onRecovery?.();
      isFailing = false;
    } catch (cause) {
      if (!isFailing) log.error({ err: cause }, failure);
      isFailing = true;
    }
  };
}
