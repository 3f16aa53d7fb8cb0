import { narrowedRange } from '../../access/scope.js';
import { jsonText } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import {
  anyOf,
  anything,
  closed,
  described,
  integer,
  list,
  named,
  object,
  open,
  optional,
  orNull,
  record,
  type Schema,
  text,
} from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { readAggregateBody } from '../aggregates/aggregate-body.js';
import { maxGroupPaths, maxOrderPaths } from '../limits.js';
import type { ReadCost } from '../pages/matches-of.js';
import { serverTiming } from '../pages/server-timing.js';
import { rereadableBodyOf } from '../request-body.js';
import { attributePath, setOptions } from '../schemas.js';
import type { BaseServices } from '../service.js';

const yes: Schema<true> = { const: true };

const Aggregate = named(
  'Aggregate',
  anyOf(
    closed({ count: yes }),
    closed({ sum: attributePath }),
    closed({ avg: attributePath }),
    closed({ min: attributePath }),
    closed({ max: attributePath }),
    closed({ distinct: attributePath }),
  ),
);

const GroupPath = named(
  'GroupPath',
  described(
    anyOf(
      attributePath,
      closed({ hour: attributePath }),
      closed({ day: attributePath }),
      closed({ month: attributePath }),
      closed({ year: attributePath }),
    ),
    'An attribute path, or a span of time in UTC',
  ),
);

const about = {
  skipped: optional(record(count, { description: 'Of each aggregate: items without such a value' })),
  exact: optional(described({ const: false } as Schema<false>, 'A sum is rounded')),
};

export const aggregateItems = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/query/aggregate',
  access: 'read',
  names: 'narrowed',
  section: 'aggregates',
  summary: 'Count, sum and compare items by groups',
  request: jsonBody(
    object({
      query: setOptions.query,
      group: orNull(list(GroupPath, { maxItems: maxGroupPaths })),
      aggregates: record(Aggregate, { description: 'By the names of the results, 1 to 20' }),
      order: orNull(
        list(text, {
          maxItems: maxOrderPaths,
          description: 'Names of aggregates and paths of `group`, each with a `-` in front for downwards',
        }),
      ),
      limit: orNull(integer({ minimum: 1, description: 'The maximum number of groups of the page' })),
      last: orNull(described(text, 'Continue after the page with this `paging.last`')),
    }),
  ),
  answers: {
    200: jsonAnswer(
      'The results of each group, or without `group` those of all items',
      named(
        'AggregateItemsResponse',
        anyOf(
          object({
            groups: list(open({ group: record(anything), ...about })),
            paging: object({ size: count, last: optional(text) }),
          }),
          open(about),
        ),
      ),
      {
        headers: {
          'Server-Timing': {
            description: 'What was read, and which index was used. No items: its entries were enough',
            schema: text,
          },
        },
      },
    ),
  },
  handle: async (call, { bases }: BaseServices) => {
    const body = await rereadableBodyOf(call, function* (body) {
      const read = yield* readAggregateBody(body);
      return { ...read, query: { ...read.query, range: narrowedRange(call.grant, read.query.range) } };
    });
    const cost: ReadCost = { items: 0, bytes: 0 };
    const startedMs = performance.now();
    const space = baseSpace(call.project, call.name);
    const answer = jsonText(200, await bases.aggregates.compute(space, body, call, cost));
    return { ...answer, headers: [...answer.headers, 'Server-Timing', serverTiming(cost, startedMs)] };
  },
});
