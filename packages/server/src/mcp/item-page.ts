import type { Item } from '#client';
import { writeExact } from './exact-numbers.js';

/** Takes items from the start until they have `maxBytes` bytes of JSON: one or more. Gives their number, too. */
export function takeItems(items: readonly Item[], maxBytes: number) {
  /** The JSON of those that fit. */
  const texts: string[] = [];
  /** Items that are larger than a result may be. They are passed over, so that a page always gets on. */
  const tooLarge: { key: string; bytes: number }[] = [];
  let total = 0;
  for (const item of items) {
    const text = writeExact(item);
    const bytes = Buffer.byteLength(text);
    if (bytes > maxBytes) {
      tooLarge.push({ key: item.key, bytes });
      continue;
    }
    total += bytes;
    if (total > maxBytes) break;
    texts.push(text);
  }
  return { texts, tooLarge, taken: texts.length + tooLarge.length };
}
