import { json } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { described, list, named, object, optional, truth } from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { readIndexBody } from '../indexes/index-body.js';
import { indexMembers, indexNameOf, indexParameter } from '../indexes/index-parameter.js';
import { maxIndexFields } from '../limits.js';
import { bodyOf } from '../request-body.js';
import { attributePath } from '../schemas.js';
import type { BaseServices } from '../service.js';

const Index = named('IndexInfo', object(indexMembers));

export const declareIndex = operation({
  method: 'PUT',
  path: '/v1/{project}/{base}/indexes/{index}',
  access: 'full',
  summary: 'Declare an index',
  parameters: [indexParameter],
  request: jsonBody(
    object({
      fields: list(attributePath, { minItems: 1, maxItems: maxIndexFields }),
      unique: optional(described(truth, 'True: no two items may have equal values of all fields')),
      each: optional(
        described(truth, 'True: of one field, whose value is a list, for `?has` and `?contains`'),
      ),
    }),
  ),
  answers: { 202: jsonAnswer('It is being built', Index), 200: jsonAnswer('It exists', Index) },
  failures: [409],
  handle: async (call, { bases }: BaseServices) => {
    const name = indexNameOf(call);
    const wanted = await bodyOf(call, readIndexBody);
    const space = baseSpace(call.project, call.name);
    const { index, isNew } = await bases.indexes.declare(space, name, wanted);
    return json(isNew ? 202 : 200, index);
  },
});
