import { json } from '../../http/answers/answer.js';
import { allParameter, requireTrue } from '../../http/parameters/parameters.js';
import { DeletedAll, jsonAnswer, operation } from '../../http/routing/operation.js';
import type { BaseServices } from '../service.js';

export const deleteAllItems = operation({
  method: 'DELETE',
  path: '/v1/{project}/{base}/items?all=true',
  access: 'full',
  names: 'narrowed',
  summary: 'Delete all items',
  parameters: [allParameter],
  answers: { 200: jsonAnswer('How many were deleted', DeletedAll) },
  failures: [400],
  handle: async (call, { bases }: BaseServices) => {
    requireTrue(call, 'all');
    const { project, name, grant } = call;
    const deleted = await bases.removeAll(project, name, grant.prefix, () => call.isAbandoned);
    return json(200, { deleted });
  },
});
