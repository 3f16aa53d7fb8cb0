import { json } from '../../http/answers/answer.js';
import { conditionParameters, readWriteCondition } from '../../http/answers/conditional.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { RequestError } from '../../request-error.js';
import {
  nameParameter,
  ownersOf,
  readName,
  unknownUpload,
  uploadIdOf,
  uploadParameter,
} from '../parameters.js';
import { Upload } from '../schemas.js';
import type { DriveServices } from '../service.js';

export const endUpload = operation({
  method: 'PATCH',
  path: '/v1/{project}/{drive}/uploads/{upload_id}',
  access: 'write',
  names: 'query',
  section: 'end-chunked-upload',
  summary: 'Make the parts of an upload a file',
  parameters: [uploadParameter, nameParameter, ...conditionParameters],
  answers: { 200: jsonAnswer('The file is stored', Upload) },
  failures: [400, 404, 412],
  handle: async (call, { drives }: DriveServices) => {
    const name = readName(call);
    const uploadId = uploadIdOf(call);
    const condition = readWriteCondition(call.headers);
    const result = await drives.uploads.end(call.project, call.name, name, { uploadId, condition });
    if (result === 'unknown') throw unknownUpload();
    if (result !== 'ended') throw new RequestError(result.problems);
    return json(200, { name, upload_id: uploadId, ...ownersOf(call) });
  },
});
