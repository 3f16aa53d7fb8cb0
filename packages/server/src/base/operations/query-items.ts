import { narrowedRange } from '../../access/scope.js';
import { jsonText } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import {
  described,
  integer,
  list,
  object,
  oneOf,
  optional,
  orNull,
  text,
  truth,
  type ValueOf,
} from '../../json/schema.js';
import { maxOrderPaths, maxSelectedPaths } from '../limits.js';
import type { ReadCost } from '../pages/matches-of.js';
import type { Page } from '../pages/page.js';
import { isLong } from '../pages/read-query.js';
import { serverTiming } from '../pages/server-timing.js';
import { readQueryBody } from '../query/query-body.js';
import { rereadableBodyOf } from '../request-body.js';
import { attributePath, ItemQuery, StoredItem } from '../schemas.js';
import type { BaseServices } from '../service.js';

const Paging = object({
  size: count,
  last: optional(described(text, 'Pass it as `last` to get the next page. Present only if more may follow')),
  total: optional(described(count, 'With `count`: the number of all matches')),
});

export const queryItems = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/query',
  access: 'read',
  names: 'narrowed',
  summary: 'Query items',
  request: jsonBody(
    object({
      query: orNull(ItemQuery),
      limit: orNull(integer({ minimum: 1 })),
      last: orNull(described(text, 'Continue after this key')),
      sort: orNull(oneOf('asc', 'desc', '')),
      order: orNull(
        list(attributePath, {
          maxItems: maxOrderPaths,
          description: 'Attribute paths, each with a `-` in front for downwards. Absent: by key',
        }),
      ),
      offset: orNull(described(count, 'How many matches to skip first. Ignored with `last`')),
      count: orNull(described(truth, 'True: count all matches')),
      select: orNull(
        list(attributePath, {
          maxItems: maxSelectedPaths,
          description: 'Only `key` and these. Absent: whole items',
        }),
      ),
    }),
    { required: false },
  ),
  answers: {
    200: jsonAnswer('A page of items', object({ paging: Paging, items: list(StoredItem) }), {
      headers: {
        'Server-Timing': { description: 'What was read, and which index was used', schema: text },
      },
    }),
  },
  handle: async (call, { bases, onQuery }: BaseServices) => {
    let isTimed = false;
    const query = await rereadableBodyOf(call, function* (body) {
      const read = yield* readQueryBody(body, call.project);
      isTimed = isLong(read);
      return { ...read, range: narrowedRange(call.grant, read.range) };
    });
    const cost: ReadCost = { items: 0, bytes: 0 };
    const startedMs = performance.now();
    const request = { isAbandoned: () => call.isAbandoned, cost };
    const page = await bases.query(call.project, call.name, query, request);
    const { project, name: base } = call;
    const noted = onQuery?.({ project, base, cost, ms: performance.now() - startedMs, query: query.read });
    if (noted !== undefined) await noted;
    const answer = jsonText(200, pageBody(page));
    if (!isTimed) return answer;
    return { ...answer, headers: [...answer.headers, 'Server-Timing', serverTiming(cost, startedMs)] };
  },
});

/** The body of a page. `last` is present only if more items may follow (docs/http.md#pages). */
function pageBody({ items, last, total }: Page): Buffer | string {
  const paging: ValueOf<typeof Paging> = { size: items.count, last, total };
  return items.finish(`{"paging":${JSON.stringify(paging)},"items":[`, ']}');
}
