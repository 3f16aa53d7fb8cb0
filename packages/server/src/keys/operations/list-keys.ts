import { jsonText } from '../../http/answers/answer.js';
import { pageAnswer, pageParameters, readLimit } from '../../http/parameters/paging.js';
import { operation } from '../../http/routing/operation.js';
import { list } from '../../json/schema.js';
import { badField } from '../../request-error.js';
import { KeyDetails } from '../key-details.js';
import { type KeyServices, readPosition } from '../key-lists.js';

export const listKeys = operation({
  method: 'GET',
  path: '/v1/{project}/keys',
  access: 'no limit',
  summary: 'List keys',
  parameters: pageParameters,
  answers: { 200: pageAnswer('A page of keys, the oldest first', { keys: list(KeyDetails) }) },
  failures: [400],
  handle: async (call, { keyLists }: KeyServices) => {
    const { project } = call;
    const last = call.query.get('last') ?? '';
    const after = readPosition(project, last);
    if (last !== '' && after === undefined) {
      throw badField('last', 'invalid_value', 'must be the paging.last of a page');
    }
    return jsonText(200, await keyLists.textOf({ project, limit: readLimit(call), after }));
  },
});
