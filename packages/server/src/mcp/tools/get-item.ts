import { z } from 'zod';
import { base, key, maxBytes } from '../arguments.js';
import { itemBytes } from '../bounds.js';
import { writeExact } from '../exact-numbers.js';
import { failedResult, textResult } from '../results.js';
import { defineTool } from '../tool.js';

/** Reads one item (docs/http.md#get-item). */
export const getItem = defineTool({
  name: 'get_item',
  title: 'Get an item',
  description:
    'Reads one item by its key. The result is {"item": …}; the item is null if there is none with this key.',
  reach: 'bases',
  input: z.strictObject({ base, key, max_bytes: maxBytes(itemBytes) }),
  async run(project, input, signal) {
    const item = await project.base(input.base).get(input.key, { signal });
    const text = writeExact({ item });
    const bytes = Buffer.byteLength(text);
    if (bytes <= input.max_bytes) return textResult(text);
    return failedResult(
      `The item has ${bytes} bytes, more than max_bytes (${input.max_bytes}). Raise max_bytes, or read some of its ` +
        'attributes: query_items with the condition "key" and with select',
    );
  },
});
