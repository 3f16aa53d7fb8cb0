import { z } from 'zod';
import { base, last, limit, query } from '../arguments.js';
import { groupsPerPage, itemBytes } from '../bounds.js';
import { writeExact } from '../exact-numbers.js';
import { failedResult, textResult } from '../results.js';
import { defineTool } from '../tool.js';

const path = z.string().min(1);
// A union has no message of its own that says what may be given.
const aggregate = z.union(
  [
    z.strictObject({ count: z.literal(true) }),
    z.strictObject({ sum: path }),
    z.strictObject({ avg: path }),
    z.strictObject({ min: path }),
    z.strictObject({ max: path }),
    z.strictObject({ distinct: path }),
  ],
  'must be {"count": true}, or one of sum, avg, min, max and distinct with a path: {"sum": "price"}',
);
const group = z.union(
  [
    path,
    z.strictObject({ hour: path }),
    z.strictObject({ day: path }),
    z.strictObject({ month: path }),
    z.strictObject({ year: path }),
  ],
  'must be a path, or one of hour, day, month and year with a path: {"day": "created"}',
);

/** Counts, sums and compares the items that match (docs/http.md#aggregates). */
export const aggregateItems = defineTool({
  name: 'aggregate_items',
  title: 'Aggregate items',
  description:
    'Counts, sums and compares the items of a base that match a query, all of them without one. Without `group`, the ' +
    'result is one object with the results by their names. With `group`, it is {"groups": [{"group": {…}, …}], "last": …}: ' +
    'when it has `last`, more groups follow. `skipped` says how many items have no value that the aggregate can use.',
  reach: 'bases',
  input: z.strictObject({
    base,
    query: query.optional(),
    aggregates: z
      .record(z.string(), aggregate)
      .describe('Names of results, each with one of count (true), sum, avg, min, max and distinct (a path)'),
    group: z
      .array(group)
      .optional()
      .describe('Attribute paths, or spans of time in UTC of seconds or ISO 8601 text: {"day": "created"}'),
    order: z
      .array(path)
      .optional()
      .describe(
        'Names of results and paths of group that order the groups, each with a - in front for downwards',
      ),
    limit: limit(groupsPerPage),
    last,
  }),
  async run(project, input, signal) {
    // `limit` always has a value. Without `group`, the server refuses `order` and `last`.
    const { base: name, query: conditions, aggregates, group: groups = [], limit: most, ...options } = input;
    const items = project.base(name);
    const results =
      groups.length === 0
        ? await items.aggregate(aggregates, conditions, { ...options, signal })
        : await items.aggregate(aggregates, conditions, { ...options, limit: most, group: groups, signal });
    const text = writeExact(results);
    const bytes = Buffer.byteLength(text);
    if (bytes <= itemBytes.default) return textResult(text);
    return failedResult(
      `The results have ${bytes} bytes: ask for fewer groups with limit, or group by shorter values`,
    );
  },
});
