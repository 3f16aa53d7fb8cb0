import { z } from 'zod';
import type { ItemChange } from '#client';
import { limit, maxBytes, prefix, query } from '../arguments.js';
import { changesPerPage, itemBytes } from '../bounds.js';
import { writeExact } from '../exact-numbers.js';
import { textResult } from '../results.js';
import { defineTool } from '../tool.js';

const names = z.array(z.string().min(1)).min(1).max(100).optional();

/** Lists what has changed since a cursor (docs/http.md#list-changes). */
export const listChanges = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'Lists which items and files have changed since a cursor: {"changes": […], "cursor": …, "live": …}. A change is a ' +
    '"put" with the item or the details of the file as they are now, or a "delete". Without `since`, no change is ' +
    'listed, and `cursor` is that of now: call again with it later. When `live` is false, more is there: call again ' +
    'with `cursor` at once. A cursor that is too old is refused with status 410. A change that has more than max_bytes ' +
    'bytes by itself comes without its item, and `too_large` is its number of bytes: read the item with get_item, or ' +
    'with query_items and select.',
  reach: 'any',
  input: z.strictObject({
    since: z
      .string()
      .min(1)
      .optional()
      .describe('The `cursor` of an earlier call; 0: everything that is there, then what has changed'),
    bases: names.describe('Only these bases; a name that ends in * means all that begin so'),
    drives: names.describe('The same for drives. With one of both lists, nothing of the other kind'),
    prefix,
    query: query.optional(),
    values: z.boolean().default(true).describe('False: items without their attributes'),
    limit: limit(changesPerPage),
    max_bytes: maxBytes(itemBytes),
  }),
  async run(project, { max_bytes: bytes, limit: wanted, ...options }, signal) {
    for (let most = wanted; ; ) {
      const { changes, cursor, live } = await project.changesPage({ ...options, limit: most, signal });
      const texts = changes.map((change) => writeExact(change));
      const fit = fitting(texts, bytes);
      // Only the service can say where fewer end.
      if (fit < texts.length && most > 1) {
        most = Math.max(1, fit);
        continue;
      }
      const [only] = changes;
      if (fit === 0 && only !== undefined && 'item' in only) texts[0] = withoutItem(only);
      return textResult(`{"changes":[${texts.join(',')}],"cursor":${JSON.stringify(cursor)},"live":${live}}`);
    }
  },
});

/** The text of a change whose item is too large for a result: how many bytes it has with it. */
function withoutItem(change: Extract<ItemChange, { readonly item: unknown }>): string {
  const { item: _, ...rest } = change;
  return writeExact({ ...rest, too_large: Buffer.byteLength(writeExact(change)) });
}

/** How many of the first texts have at most `maxBytes` together. */
function fitting(texts: readonly string[], maxBytes: number): number {
  let total = 0;
  const end = texts.findIndex((text) => {
    total += Buffer.byteLength(text);
    return total > maxBytes;
  });
  return end === -1 ? texts.length : end;
}
