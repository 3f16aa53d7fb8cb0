import { json } from '../../http/answers/answer.js';
import { declaredType } from '../../http/requests/content-type.js';
import { inHead, jsonAnswer, operation } from '../../http/routing/operation.js';
import { readFileHeaders } from '../files/file-headers.js';
import { metadataOf } from '../files/metadata.js';
import { expiryParameters, nameParameter, ownersOf, readExpiry, readName } from '../parameters.js';
import { Upload } from '../schemas.js';
import type { DriveServices } from '../service.js';

export const initializeUpload = operation({
  method: 'POST',
  path: '/v1/{project}/{drive}/uploads',
  access: 'write',
  names: 'query',
  section: 'initialize-chunked-upload',
  summary: 'Open a chunked upload',
  parameters: [nameParameter, ...expiryParameters, inHead('Content-Type', 'The type of the file')],
  answers: { 202: jsonAnswer('The open upload', Upload) },
  failures: [400, 409],
  handle: async (call, { drives }: DriveServices) => {
    const name = readName(call);
    const { headers } = call;
    const about = {
      contentType: declaredType(headers),
      metadata: metadataOf(headers),
      ...readFileHeaders(headers),
      ...readExpiry(call),
    };
    const uploadId = await drives.uploads.initialize(call.project, call.name, name, about);
    return json(202, { name, upload_id: uploadId, ...ownersOf(call) });
  },
});
