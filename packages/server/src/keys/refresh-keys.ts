import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';

const shortestMs = 600;
const longestMs = 1000;

/**
 * Reads the keys again about every second, so that a key that was revoked on another server stops working here too. The
 * interval is random, so that many servers do not read at once. While the rows are unavailable, the known keys stay
 * valid. Gives a function that stops it and resolves when the reload in progress has ended.
 */
export function refreshKeys(keys: { reload(): Promise<void> }, log: Log): () => Promise<void> {
  let isFailing = false;

  async function reload(): Promise<void> {
    try {
      await keys.reload();
      if (isFailing) log.info({}, 'keys can be read again');
      isFailing = false;
    } catch (cause) {
      if (!isFailing) log.error({ err: cause }, 'keys cannot be read: the known keys stay valid');
      isFailing = true;
    }
  }

  return repeat(reload, () => shortestMs + Math.random() * (longestMs - shortestMs));
}
