import { narrowedRange } from '../../access/scope.js';
import { json } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { object } from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { readCountBody } from '../by-query/by-query-body.js';
import { rereadableBodyOf } from '../request-body.js';
import { setOptions } from '../schemas.js';
import type { BaseServices } from '../service.js';

export const countItems = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/query/count',
  access: 'read',
  names: 'narrowed',
  summary: 'Count items',
  request: jsonBody(object({ query: setOptions.query }), { required: false }),
  answers: { 200: jsonAnswer('The number of items', object({ count })) },
  handle: async (call, { bases }: BaseServices) => {
    const query = await rereadableBodyOf(call, function* (body) {
      const read = yield* readCountBody(body, call.project);
      return { ...read, range: narrowedRange(call.grant, read.range) };
    });
    return json(200, { count: await bases.byQuery.count(baseSpace(call.project, call.name), query, call) });
  },
});
