import assert from 'node:assert/strict';
import { setTimeout as rest } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** Milliseconds between two looks, and until it is given up. */
const betweenMs = 25;
const maxMs = 20_000;

/**
 * Reads something of a page until it is as wanted, and fails with the difference if it never is: a page acts after an
 * event has ended, so what is read at once may be what was there before.
 */
export async function becomes<T>(read: () => Promise<T> | T, wanted: T, what?: string): Promise<void> {
  let last = await read();
  for (const end = Date.now() + maxMs; !isDeepStrictEqual(last, wanted) && Date.now() < end; ) {
    await rest(betweenMs);
    last = await read();
  }
  assert.deepEqual(last, wanted, what);
}
