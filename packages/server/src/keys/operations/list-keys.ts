import { jsonText } from '../../http/answers/answer.js';
import { Paging, pageParameters, readLimit } from '../../http/parameters/paging.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { list, object, optional } from '../../json/schema.js';
import { badField } from '../../request-error.js';
import { KeyDetails } from '../key-details.js';
import { type KeyServices, placeOf } from '../key-lists.js';

export const listKeys = operation({
  method: 'GET',
  path: '/v1/{project}/keys',
  access: 'no limit',
  summary: 'List keys',
  parameters: pageParameters,
  answers: {
    200: jsonAnswer(
      'A page of keys, the oldest first',
      object({ paging: optional(Paging), keys: list(KeyDetails) }),
    ),
  },
  failures: [400],
  handle: async (call, { keyLists }: KeyServices) => {
    const { project } = call;
    const last = call.query.get('last') ?? '';
    const after = placeOf(project, last);
    if (last !== '' && after === undefined) {
      throw badField('last', 'invalid_value', 'must be the paging.last of a page');
    }
    return jsonText(200, await keyLists.textOf({ project, limit: readLimit(call), after }));
  },
});
