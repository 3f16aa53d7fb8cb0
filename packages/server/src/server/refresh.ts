import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';
import { logOutages } from '../lib/log-outages.js';

const shortestMs = 600;
const longestMs = 1000;

/**
 * Reads about every second what another server may have changed, so that a key that was revoked there stops working here,
 * too. The interval is random, so that many servers do not read at once. While the rows are unavailable, what is known
 * stays valid. Gives a function that stops it and resolves when the reload in progress has ended.
 */
export function refresh(
  what: 'keys' | 'projects',
  { reload }: { reload(): Promise<void> },
  log: Log,
): () => Promise<void> {
  const failure = `${what} cannot be read: what is known of them stays valid`;
  const work = logOutages(reload, log, failure, () => log.info({}, `${what} can be read again`));
  return repeat(work, () => shortestMs + Math.random() * (longestMs - shortestMs));
}
