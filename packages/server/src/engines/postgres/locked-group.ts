import { maxGroupBytes, type Reading } from '../shared/group-commit.js';
import type { Run } from './pool.js';
import { lockRows, lockSizedRows, readRows, type SizedRows } from './statements.js';

/** The rows of up to this many keys are fetched whatever their size: a lone writer has one round trip less. */
const fewKeys = 4;
/** A group is expected to write as much as it reads. What it reads beyond that would be fetched again for the next one. */
const maxFetchedBytes = maxGroupBytes / 2;

/** The rows of a group, all of them locked. */
export interface LockedGroup {
  /** The value of a row that one of the first `count` transactions reads; undefined if there is none. */
  readonly value: (key: string) => Buffer | undefined;
  /** How many transactions can be decided, the first ones. The rows of the others are too large to be fetched with theirs. */
  readonly count: number;
  /** Whether there is a row of this key, fetched or not. */
  readonly has: (key: string) => boolean;
}

/**
 * Locks the rows of a group and fetches what its transactions read, up to `maxFetchedBytes`, or what the first one may read:
 * a thousand small requests may name rows of hundreds of megabytes. `keys`: all rows to lock.
 */
export async function lockGroup(
  run: Run,
  space: Buffer,
  keys: readonly string[],
  group: readonly Reading[],
): Promise<LockedGroup> {
  if (keys.length <= fewKeys) {
    const rows = await lockRows(run, space, keys);
    return { value: (key) => rows.get(key), count: group.length, has: (key) => rows.has(key) };
  }
  const sized = await lockSizedRows(run, space, keys, Math.floor(maxFetchedBytes / keys.length));
  const { rows, large } = sized;
  const has = (key: string) => rows.has(key) || large.has(key);
  if (large.size === 0) return { value: (key) => rows.get(key), count: group.length, has };
  const { wanted, count } = fitting(sized, group);
  const fetched = await readRows(run, space, wanted);
  const value = (key: string) => {
    const found = rows.get(key) ?? fetched.get(key);
    // What is there must never pass for absent: it would be overwritten.
    if (found === undefined && large.has(key)) throw new Error('a large row was not fetched');
    return found;
  };
  return { value, count, has };
}

/** The large rows to fetch, and for how many transactions. */
function fitting({ rows, large }: SizedRows, group: readonly Reading[]) {
  const wanted = new Set<string>();
  let count = 0;
  let bytes = 0;
  for (const { keys, maxReadBytes } of group) {
    const own: string[] = [];
    let read = 0;
    for (const [n, key] of keys.entries()) {
      const size = large.get(key);
      read += size ?? rows.get(key)?.length ?? 0;
      if (size !== undefined) own.push(key);
      // The first row is read whatever its size.
      if (read > maxReadBytes && n > 0) break;
    }
    // One that is refused for what it reads must be the first: what others have decided may be smaller than what is stored.
    if (count > 0 && (read > maxReadBytes || bytes + read > maxFetchedBytes)) break;
    for (const key of own) wanted.add(key);
    bytes += read;
    count++;
  }
  return { wanted: [...wanted], count };
}
