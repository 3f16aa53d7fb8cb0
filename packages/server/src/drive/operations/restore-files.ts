import { requireWithin } from '../../access/scope.js';
import { json } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { object } from '../../json/schema.js';
import { maxTransferBodyBytes } from '../limits.js';
import { jsonBodyOf } from '../request-body.js';
import type { DriveServices } from '../service.js';
import { RestoreFilesRequest, readRestoreBody } from '../trash/trash-body.js';

export const restoreFiles = operation({
  method: 'POST',
  path: '/v1/{project}/{drive}/trash/restore',
  access: 'write',
  names: 'body',
  summary: 'Give files from the trash back',
  request: jsonBody(RestoreFilesRequest, { tooLarge: 'page' }),
  answers: { 200: jsonAnswer('How many came back', object({ restored: count })) },
  failures: [404, 409],
  handle: async (call, { drives }: DriveServices) => {
    const body = await jsonBodyOf(call, maxTransferBodyBytes, readRestoreBody);
    const { project, name: drive, grant } = call;
    for (const { name } of body.files) if (name !== undefined) requireWithin(grant, name);
    await drives.trash.restore(project, drive, { ...body, within: grant.prefix });
    return json(200, { restored: body.files.length });
  },
});
