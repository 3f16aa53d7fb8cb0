import { requireWithin } from '../../access/scope.js';
import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { runInSlices } from '../../lib/concurrency/time-slices.js';
import {
  DeleteFilesRequest,
  DeleteFilesResponse,
  readDeleteBody,
  writeDeleteResponse,
} from '../files/delete-body.js';
import { maxDeleteBodyBytes } from '../limits.js';
import { folderParameter, nameRule } from '../parameters.js';
import { jsonBodyOf } from '../request-body.js';
import type { DriveServices } from '../service.js';

export const deleteFiles = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/files',
  access: 'write',
  names: 'body',
  summary: 'Delete files',
  parameters: [folderParameter],
  request: jsonBody(DeleteFilesRequest, { tooLarge: 'page' }),
  answers: { 200: jsonAnswer('What is gone', DeleteFilesResponse) },
  handle: async (call, { drives }: DriveServices) => {
    const rule = nameRule(call);
    const asked = await jsonBodyOf(call, maxDeleteBodyBytes, (body) => readDeleteBody(body, rule));
    for (const name of asked.names) requireWithin(call.grant, name);
    await drives.remove(call.project, call.name, asked.names);
    return jsonText(200, await runInSlices(writeDeleteResponse(asked)));
  },
});
