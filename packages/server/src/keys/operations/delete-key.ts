import { json } from '../../http/answers/answer.js';
import { inQuery, jsonAnswer, operation, required } from '../../http/routing/operation.js';
import { object, text } from '../../json/schema.js';
import { badField, refused } from '../../request-error.js';
import type { KeyServices } from '../key-lists.js';

export const deleteKey = operation({
  method: 'DELETE',
  path: '/v1/{project}/keys',
  access: 'no limit',
  summary: 'Revoke a key',
  parameters: [required(inQuery('id', 'The id of the key'))],
  answers: { 200: jsonAnswer('It no longer works', object({ id: text })) },
  failures: [400, 404],
  handle: async (call, { keys }: KeyServices) => {
    const id = call.query.get('id');
    if (id === undefined || id === '') throw badField('id', 'required', 'is required');
    if (!(await keys.revoke(id, call.project))) throw refused('key_not_found', 'Key not found');
    return json(200, { id });
  },
});
