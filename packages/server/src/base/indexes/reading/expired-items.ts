import type { Snapshot, TextRow } from '../../../engines/item-store.js';
import { isTextRowExpired } from '../../items/expiry.js';
import { firstItemKey } from '../entries/entries.js';
import type { Pace } from './reading-cost.js';

/** With more items that have expired and are not deleted yet, of all bases, no index says which items there are. */
const maxExpired = 10_000;
const maxTextCharacters = 1024 * 1024;
const maxTextsAtOnce = 256;

type ItemText = Pick<TextRow, 'key' | 'text'>;

/**
 * The items of a base that have expired at `now`, in seconds, and still have entries. They are read few at a time if they
 * are large. Resolves to undefined if there are too many.
 */
export async function expiredItems(
  snapshot: Snapshot,
  now: number,
  pace: Pace,
): Promise<AsyncIterable<ItemText> | undefined> {
  const due = await snapshot.dueKeys(now, maxExpired);
  const keys = due?.filter((key) => key >= firstItemKey);
  return keys && expiredOf(textsOf(snapshot, keys, pace), now);
}

async function* expiredOf(items: AsyncIterable<ItemText>, now: number): AsyncGenerator<ItemText> {
  for await (const item of items) if (isTextRowExpired(item, now)) yield item;
}

async function* textsOf(
  snapshot: Snapshot,
  keys: readonly string[],
  { turn, check }: Pace,
): AsyncGenerator<ItemText> {
  let size = 1;
  for (let start = 0; start < keys.length; ) {
    const part = keys.slice(start, start + size);
    const texts = await turn(() => snapshot.texts(part));
    check();
    let characters = 0;
    for (const [n, key] of part.entries()) {
      const text = texts[n];
      if (text === undefined) continue;
      yield { key, text };
      characters += text.length;
    }
    start += part.length;
    const isSmall = 4 * characters <= maxTextCharacters;
    size = isSmall ? Math.min(2 * size, maxTextsAtOnce) : Math.max(1, Math.floor(size / 2));
  }
}
