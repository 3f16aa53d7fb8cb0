import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { object, text } from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { indexNameOf, indexParameter } from '../indexes/index-parameter.js';
import type { BaseServices } from '../service.js';

export const dropIndex = operation({
  method: 'DELETE',
  path: '/v1/{project}/{base}/indexes/{index}',
  access: 'full',
  summary: 'Drop an index',
  parameters: [indexParameter],
  answers: { 200: jsonAnswer('It is gone, or never was', object({ name: text })) },
  failures: [400],
  handle: async (call, { bases }: BaseServices) => {
    const name = indexNameOf(call);
    await bases.indexes.drop(baseSpace(call.project, call.name), name);
    return json(200, { name });
  },
});
