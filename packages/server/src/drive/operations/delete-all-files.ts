import { json } from '../../http/answers/answer.js';
import { allParameter, requireTrue } from '../../http/parameters/parameters.js';
import { DeletedAll, jsonAnswer, operation } from '../../http/routing/operation.js';
import type { DriveServices } from '../service.js';

export const deleteAllFiles = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/files?all=true',
  access: 'full',
  names: 'narrowed',
  summary: 'Delete all files',
  parameters: [allParameter],
  answers: { 200: jsonAnswer('How many were deleted', DeletedAll) },
  failures: [400],
  handle: async (call, { drives }: DriveServices) => {
    requireTrue(call, 'all');
    const { project, name, grant } = call;
    const deleted = await drives.removeAll(project, name, grant.prefix, () => call.isAbandoned);
    return json(200, { deleted });
  },
});
