import { json } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { detailsOf } from '../files/details.js';
import { ChangeFileRequest, readFileChanges } from '../files/file-changes.js';
import { maxChangesBodyBytes } from '../limits.js';
import { fileNotFound, nameParameter, readName } from '../parameters.js';
import { jsonBodyOf } from '../request-body.js';
import { DetailedFile } from '../schemas.js';
import type { DriveServices } from '../service.js';

export const changeFile = operation({
  method: 'PATCH',
  path: '/v1/{project}/{drive}/files',
  access: 'write',
  names: 'query',
  summary: 'Change what is known of a file',
  parameters: [nameParameter],
  request: jsonBody(ChangeFileRequest, { tooLarge: 'page' }),
  answers: { 200: jsonAnswer('Its details', DetailedFile) },
  failures: [404],
  handle: async (call, { drives }: DriveServices) => {
    const name = readName(call);
    const changes = await jsonBodyOf(call, maxChangesBodyBytes, readFileChanges);
    const file = await drives.change(call.project, call.name, name, changes);
    if (file === undefined) throw fileNotFound();
    return json(200, detailsOf(name, file));
  },
});
