import { z } from 'zod';
import { base, last, limit, maxBytes, query } from '../arguments.js';
import { itemBytes, itemsPerPage } from '../bounds.js';
import { takeItems } from '../item-page.js';
import { textResult } from '../results.js';
import { defineTool } from '../tool.js';

const paths = z.array(z.string().min(1));

/** Reads a page of the items that match (docs/http.md#query-items). */
export const queryItems = defineTool({
  name: 'query_items',
  title: 'Query items',
  description:
    'Reads the items of a base that match a query, all of them without one, a page at a time. The result is ' +
    '{"items": […], "last": …, "total": …, "too_large": […]}. When it has `last`, more may follow, even if this page ' +
    'is empty: call again with `last` and otherwise the same arguments. `too_large` names items that have more than ' +
    'max_bytes bytes by themselves and are passed over: read them with select, or with a larger max_bytes.',
  reach: 'bases',
  input: z.strictObject({
    base,
    query: query.optional(),
    order: paths
      .optional()
      .describe(
        'Attribute paths that order the items, each with a - in front for downwards. Default: by key',
      ),
    descending: z.boolean().optional().describe('From the last key to the first'),
    select: paths.optional().describe('Return only the key and the attributes at these paths'),
    offset: z.int().min(0).optional().describe('Skip this many matches first; ignored with `last`'),
    count: z.boolean().optional().describe('Also count all matches, as `total`'),
    limit: limit(itemsPerPage),
    max_bytes: maxBytes(itemBytes),
    last,
  }),
  async run(project, input, signal) {
    const { base: name, query: conditions, descending: desc, max_bytes: bytes, ...options } = input;
    const items = project.base(name);
    for (let { limit: wanted } = input; ; ) {
      const found = await items.fetch(conditions, { ...options, desc, limit: wanted, signal });
      const { texts, tooLarge, taken } = takeItems(found.items, bytes);
      if (taken < found.items.length) {
        // Only the service can say what to continue after, if other attributes than the key order the items.
        wanted = taken;
        continue;
      }
      const members = Object.entries({ last: found.last, total: found.total })
        .filter(([, value]) => value !== undefined)
        .map(([member, value]) => `,"${member}":${JSON.stringify(value)}`);
      if (tooLarge.length > 0) members.push(`,"too_large":${JSON.stringify(tooLarge)}`);
      return textResult(`{"items":[${texts.join(',')}]${members.join('')}}`);
    }
  },
});
