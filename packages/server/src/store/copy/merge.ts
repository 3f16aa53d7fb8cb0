import { compareUtf8 } from '../../lib/text/utf8-order.js';

interface Keyed {
  readonly key: string;
}

/** What two sides have under one key. */
export interface Pair<T extends Keyed> {
  readonly left: T | undefined;
  readonly right: T | undefined;
}

/**
 * Merges two sides, each ordered by the UTF-8 bytes of its keys: gives every key of either side once, in that order, in
 * groups. Reads more from a side only when everything that was read of it is merged.
 */
export async function* merge<T extends Keyed>(
  left: AsyncIterable<readonly T[]>,
  right: AsyncIterable<readonly T[]>,
): AsyncGenerator<readonly Pair<T>[]> {
  const a = createCursor(left);
  const b = createCursor(right);
  try {
    for (;;) {
      await Promise.all([a.fill(), b.fill()]);
      const pairs: Pair<T>[] = [];
      while (a.isReady() && b.isReady()) {
        const order = compareHeads(a.head(), b.head());
        if (order === undefined) break;
        pairs.push({
          left: order <= 0 ? a.take() : undefined,
          right: order >= 0 ? b.take() : undefined,
        });
      }
      if (pairs.length === 0) return;
      yield pairs;
    }
  } finally {
    await Promise.all([a.end(), b.end()]);
  }
}

/** Undefined when neither side has anything. */
function compareHeads(a: Keyed | undefined, b: Keyed | undefined): number | undefined {
  if (a === undefined) return b === undefined ? undefined : 1;
  if (b === undefined) return -1;
  return a.key === b.key ? 0 : compareUtf8(a.key, b.key);
}

function createCursor<T extends Keyed>(source: AsyncIterable<readonly T[]>) {
  const iterator = source[Symbol.asyncIterator]();
  let group: readonly T[] = [];
  let at = 0;
  let isDone = false;
  return {
    /** Whether `head` is known without waiting. */
    isReady: () => isDone || at < group.length,
    head: () => group[at],
    take: () => group[at++],
    async fill(): Promise<void> {
      while (!isDone && at === group.length) {
        const next = await iterator.next();
        isDone = next.done === true;
        group = next.done ? [] : next.value;
        at = 0;
      }
    },
    async end(): Promise<void> {
      await iterator.return?.();
    },
  };
}
