import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { keyOf, keyParameter } from '../items/key-parameter.js';
import { DeletedItem } from '../schemas.js';
import type { BaseServices } from '../service.js';

export const deleteItem = operation({
  method: 'DELETE',
  path: '/v1/{project}/{base}/items/{key}',
  access: 'write',
  names: 'path',
  summary: 'Delete an item',
  parameters: [keyParameter],
  answers: { 200: jsonAnswer('It is gone, or never was', DeletedItem) },
  failures: [400],
  handle: async (call, { bases }: BaseServices) => {
    const key = keyOf(call);
    await bases.remove(call.project, call.name, key);
    return json(200, { key });
  },
});
