import { z } from 'zod';
import { base, query } from '../arguments.js';
import { structuredResult } from '../results.js';
import { defineTool } from '../tool.js';

/** Counts the items that match (docs/http.md#count-items). */
export const countItems = defineTool({
  name: 'count_items',
  title: 'Count items',
  description: 'Counts the items of a base that match a query, all of them without one.',
  reach: 'bases',
  input: z.strictObject({ base, query: query.optional() }),
  output: z.object({ count: z.number() }),
  async run(project, input, signal) {
    return structuredResult({ count: await project.base(input.base).count(input.query, { signal }) });
  },
});
