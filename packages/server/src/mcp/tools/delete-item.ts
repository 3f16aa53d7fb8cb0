import { z } from 'zod';
import { base, key } from '../arguments.js';
import { structuredResult } from '../results.js';
import { defineTool } from '../tool.js';

/** Deletes an item (docs/http.md#delete-item). */
export const deleteItem = defineTool({
  name: 'delete_item',
  title: 'Delete an item',
  description: 'Deletes an item. It is no error if there is none with this key.',
  reach: 'bases',
  writes: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ base, key }),
  output: z.object({ key: z.string() }),
  async run(project, input, signal) {
    await project.base(input.base).delete(input.key, { signal });
    return structuredResult({ key: input.key });
  },
});
