import { json } from '../../http/answers/answer.js';
import { count, jsonAnswer, operation } from '../../http/routing/operation.js';
import { described, list, named, object, optional, truth } from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { indexMembers } from '../indexes/index-parameter.js';
import type { BaseServices } from '../service.js';

const CountedIndex = named(
  'CountedIndexInfo',
  object({
    ...indexMembers,
    entries: described(count, 'Their number: one for each item, or with `each` for each different element'),
    exact: described(truth, 'False if not all entries were counted: then there are more'),
    uses: described(count, 'The queries that this server has answered by it since it has started'),
    used_at: optional(described(count, 'When it was the last time, in whole seconds since 1970 UTC')),
  }),
);

export const listIndexes = operation({
  method: 'GET',
  path: '/v1/{project}/{base}/indexes',
  access: 'read',
  summary: 'List indexes',
  answers: {
    200: jsonAnswer(
      'The indexes, in the order of their declaration',
      object({ indexes: list(CountedIndex) }),
    ),
  },
  handle: async (call, { bases }: BaseServices) => {
    const space = baseSpace(call.project, call.name);
    return json(200, { indexes: await bases.indexes.list(space, () => call.isAbandoned) });
  },
});
