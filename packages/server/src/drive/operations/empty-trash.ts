import { isWithin } from '../../access/scope.js';
import { json } from '../../http/answers/answer.js';
import { allParameter, requireTrue } from '../../http/parameters/parameters.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { named, object } from '../../json/schema.js';
import { maxChangesBodyBytes } from '../limits.js';
import { jsonBodyOf } from '../request-body.js';
import type { DriveServices } from '../service.js';
import { EmptyTrashRequest, readEmptyBody } from '../trash/trash-body.js';

const answers = {
  200: jsonAnswer(
    'How many files are gone for good',
    named('EmptyTrashResponse', object({ deleted: count })),
  ),
};

export const deleteFromTrash = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/trash',
  access: 'full',
  names: 'narrowed',
  section: 'empty-trash',
  summary: 'Delete files of the trash for good',
  request: jsonBody(EmptyTrashRequest, { tooLarge: 'page' }),
  answers,
  handle: async (call, { drives }: DriveServices) => {
    const ids = await jsonBodyOf(call, maxChangesBodyBytes, readEmptyBody);
    const isAllowed = (name: string) => isWithin(call.grant, name);
    return json(200, { deleted: await drives.trash.remove(call.project, call.name, ids, isAllowed) });
  },
});

export const emptyTrash = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/trash?all=true',
  access: 'full',
  names: 'narrowed',
  summary: 'Empty the trash',
  parameters: [allParameter],
  answers,
  failures: [400],
  handle: async (call, { drives }: DriveServices) => {
    requireTrue(call, 'all');
    const { project, name, grant } = call;
    const deleted = await drives.trash.removeAll(project, name, grant.prefix, () => call.isAbandoned);
    return json(200, { deleted });
  },
});
