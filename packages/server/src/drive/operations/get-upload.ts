import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { nameParameter, readName, unknownUpload, uploadIdOf, uploadParameter } from '../parameters.js';
import { UploadParts } from '../schemas.js';
import type { DriveServices } from '../service.js';

export const getUpload = operation({
  method: 'GET',
  path: '/v1/{project}/{drive}/uploads/{upload_id}',
  access: 'write',
  names: 'query',
  summary: 'List the parts of an upload',
  parameters: [uploadParameter, nameParameter],
  answers: { 200: jsonAnswer('Its parts', UploadParts) },
  failures: [400, 404],
  handle: async (call, { drives }: DriveServices) => {
    const name = readName(call);
    const uploadId = uploadIdOf(call);
    const found = await drives.uploads.get(call.project, call.name, name, uploadId);
    if (found === undefined) throw unknownUpload();
    const parts = found.map(({ part, sizeBytes }) => ({ part, size: sizeBytes }));
    return json(200, { upload_id: uploadId, name, parts });
  },
});
