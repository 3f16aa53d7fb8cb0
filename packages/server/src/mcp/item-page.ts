import type { Item } from '#client';
import { writeExact } from './exact-numbers.js';

/** How many of the first items fit into a result, and what becomes of them there. */
export interface ItemPage {
  /** The JSON of those that fit. */
  readonly texts: readonly string[];
  /** Items that are larger than a result may be. They are passed over, so that a page always gets on. */
  readonly tooLarge: readonly { readonly key: string; readonly bytes: number }[];
  /** The number of all of these. */
  readonly taken: number;
}

/** Takes items from the start until they have `maxBytes` bytes of JSON. It takes one or more. */
export function takeItems(items: readonly Item[], maxBytes: number): ItemPage {
  const texts: string[] = [];
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
