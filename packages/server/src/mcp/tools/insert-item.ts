import { z } from 'zod';
import { base, object } from '../arguments.js';
import { structuredResult } from '../results.js';
import { defineTool } from '../tool.js';

/** Stores an item if there is none with its key (docs/http.md#insert-item). */
export const insertItem = defineTool({
  name: 'insert_item',
  title: 'Insert an item',
  description:
    'Stores an item only if there is none with its key; otherwise it fails. Gives the key of the item.',
  reach: 'bases',
  writes: { destructiveHint: false, idempotentHint: false },
  input: z.strictObject({
    base,
    item: object('A JSON item with its attribute "key"; without it, the item gets a random one'),
  }),
  output: z.object({ key: z.string() }),
  async run(project, input, signal) {
    const { key } = await project.base(input.base).insert(input.item, undefined, { signal });
    return structuredResult({ key });
  },
});
