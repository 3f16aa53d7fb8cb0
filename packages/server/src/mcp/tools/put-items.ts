import { z } from 'zod';
import { base, objects } from '../arguments.js';
import { structuredResult } from '../results.js';
import { defineTool } from '../tool.js';

const maxItems = 25;

/** Stores items (docs/http.md#put-items). */
export const putItems = defineTool({
  name: 'put_items',
  title: 'Put items',
  description:
    `Stores 1 to ${maxItems} items, all of them or none. Each replaces the whole item of the same key: to change some ` +
    'attributes use update_item, to keep an existing item use insert_item. Gives the keys of the items.',
  reach: 'bases',
  writes: { destructiveHint: true, idempotentHint: false },
  input: z.strictObject({
    base,
    items: objects(
      'A JSON item with its attribute "key"; without it, the item gets a random one. "__expires" is the second ' +
        'since 1970 UTC at which it is deleted',
      maxItems,
    ),
  }),
  output: z.object({ keys: z.array(z.string()) }),
  async run(project, input, signal) {
    const { processed } = await project.base(input.base).putMany(input.items, { signal });
    return structuredResult({ keys: processed.items.map((item) => item.key) });
  },
});
