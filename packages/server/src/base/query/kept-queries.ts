import type { Steps } from '../../lib/concurrency/time-slices.js';

/**
 * Longer bodies are parsed each time. No budget counts what is kept. A body of this size takes at most 29 KB of the heap once
 * it is parsed, and all together take at most 4 MB.
 */
const maxBodyBytes = 256;
const maxKept = 128;
/** How many different bodies may come before one that came once is forgotten. */
const maxOnce = 64;

/**
 * Makes a function that keeps what `read` gives for small bodies that come again and again, because programs ask the same
 * queries: to parse one is a quarter of the work for a count by an index. Only what comes twice among few is kept. What
 * `read` gives must depend on nothing but the body, and must not be changed. Each `owner` has its own, so the time of an
 * answer says nothing of what others ask. Without an owner, nothing is kept.
 */
export function keepRepeated<T>(
  read: (body: Buffer) => Steps<T>,
): (body: Buffer, owner?: string) => Steps<T> {
  const kept = new Map<string, T>();
  const once = new Set<string>();

  return function* (body, owner) {
    if (owner === undefined || body.length > maxBodyBytes) return yield* read(body);
    const name = `${owner}\n${body.toString('latin1')}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    const value = yield* read(body);
    if (once.delete(name)) {
      if (kept.size >= maxKept) kept.clear();
      kept.set(name, value);
    } else {
      if (once.size >= maxOnce) once.clear();
      once.add(name);
    }
    return value;
  };
}
