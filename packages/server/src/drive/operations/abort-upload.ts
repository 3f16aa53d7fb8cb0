import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
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

export const abortUpload = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/uploads/{upload_id}',
  access: 'write',
  names: 'query',
  section: 'abort-chunked-upload',
  summary: 'Drop an upload',
  parameters: [uploadParameter, nameParameter],
  answers: { 200: jsonAnswer('It is gone', Upload) },
  failures: [400, 404],
  handle: async (call, { drives }: DriveServices) => {
    const name = readName(call);
    const uploadId = uploadIdOf(call);
    const { project, name: drive } = call;
    if (!(await drives.uploads.abort(project, drive, name, uploadId))) throw unknownUpload();
    return json(200, { name, upload_id: uploadId, ...ownersOf(call) });
  },
});
