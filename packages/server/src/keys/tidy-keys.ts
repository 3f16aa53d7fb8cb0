import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';
import { logOutages } from '../lib/log-outages.js';

const everyMs = 20_000;

/**
 * Writes when keys were used last, and deletes keys that have expired: now and then, and once more at the end. So a
 * request never waits for a write of this kind, and a key that is used all the time costs a write a minute. Gives a
 * function that stops it.
 */
export function tidyKeys(keys: { tidy(): Promise<void> }, log: Log): () => Promise<void> {
  const tidy = logOutages(
    keys.tidy,
    log,
    'the use of keys could not be stored, or expired keys could not be deleted; this will be tried again',
  );
  const stop = repeat(tidy, () => everyMs);
  return async () => {
    await stop();
    await tidy();
  };
}
