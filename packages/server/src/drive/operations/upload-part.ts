import { json } from '../../http/answers/answer.js';
import { parameterOf } from '../../http/parameters/parameters.js';
import { wholeOf } from '../../http/requests/bodies/members.js';
import { declaredType } from '../../http/requests/content-type.js';
import { bytesBody, inQuery, jsonAnswer, operation, required } from '../../http/routing/operation.js';
import { integer } from '../../json/schema.js';
import { readPartHeaders } from '../files/file-headers.js';
import { maxPartBytes, maxParts } from '../limits.js';
import {
  nameParameter,
  ownersOf,
  readName,
  unknownUpload,
  uploadIdOf,
  uploadParameter,
} from '../parameters.js';
import { sourceOf } from '../request-body.js';
import { UploadedPart } from '../schemas.js';
import type { DriveServices } from '../service.js';

const partNumber = integer({ minimum: 1, maximum: maxParts });

export const uploadPart = operation({
  method: 'POST',
  path: '/v1/{project}/{drive}/uploads/{upload_id}/parts',
  access: 'write',
  names: 'query',
  section: 'upload-chunked-part',
  summary: 'Upload a part',
  parameters: [uploadParameter, nameParameter, required(inQuery('part', 'Its number', partNumber))],
  request: bytesBody('The bytes, at most 10 MiB, at least 5 MiB but for the last part'),
  answers: { 200: jsonAnswer('The part is stored', UploadedPart) },
  failures: [400, 404],
  handle: async (call, { drives: { uploads, keptByWrite } }: DriveServices) => {
    const { project, name: drive } = call;
    const name = readName(call);
    const part = wholeOf(parameterOf(call, 'part'), 'part', partNumber, `an integer from 1 to ${maxParts}`);
    const uploadId = uploadIdOf(call);
    // This is checked before the body is read, so that no client sends megabytes that are discarded.
    if (!(await uploads.isOpen(project, drive, name, uploadId))) throw unknownUpload();
    const brought = readPartHeaders(call.headers);
    const source = await sourceOf(call, { maxBytes: maxPartBytes, keptByWrite });
    const contentType = declaredType(call.headers);
    const sums = brought && (() => brought);
    const given = { uploadId, part, source, announcedBytes: call.contentLength, contentType, sums };
    const isStored = await uploads.part(project, drive, name, given);
    if (!isStored) throw unknownUpload();
    return json(200, { name, upload_id: uploadId, part, ...ownersOf(call) });
  },
});
