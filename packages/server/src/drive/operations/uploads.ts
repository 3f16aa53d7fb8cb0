import { json } from '../../http/answers/answer.js';
import { conditionParameters, readWriteCondition } from '../../http/answers/conditional.js';
import {
  pageAnswer,
  pageParameters,
  pagingOf,
  readLimit,
  readNamePart,
} from '../../http/parameters/paging.js';
import { declaredType } from '../../http/requests/content-type.js';
import { bytesBody, inHead, jsonAnswer, operation } from '../../http/routing/operation.js';
import { list, named, object, text } from '../../json/schema.js';
import { RequestError } from '../../request-error.js';
import { readFileHeaders, readPartHeaders } from '../files/file-headers.js';
import { metadataOf } from '../files/metadata.js';
import { maxPartBytes } from '../limits.js';
import {
  expiryParameters,
  nameParameter,
  ownersOf,
  partParameter,
  readExpiry,
  readName,
  readPart,
  unknownUpload,
  uploadIdOf,
  uploadParameter,
} from '../parameters.js';
import { sourceOf } from '../request-body.js';
import { Upload, UploadedPart, UploadParts } from '../schemas.js';
import type { DriveServices } from '../service.js';

const ofUpload = { access: 'write', names: 'query' } as const;
const uploadPath = '/v1/{project}/{drive}/uploads/{upload_id}';

export const initializeUpload = operation({
  ...ofUpload,
  method: 'POST',
  path: '/v1/{project}/{drive}/uploads',
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

export const uploadPart = operation({
  ...ofUpload,
  method: 'POST',
  path: `${uploadPath}/parts`,
  section: 'upload-chunked-part',
  summary: 'Upload a part',
  parameters: [uploadParameter, nameParameter, partParameter],
  request: bytesBody('The bytes, at most 10 MiB, at least 5 MiB but for the last part'),
  answers: { 200: jsonAnswer('The part is stored', UploadedPart) },
  failures: [400, 404],
  handle: async (call, { drives: { uploads, keptByWrite } }: DriveServices) => {
    const { project, name: drive } = call;
    const name = readName(call);
    const part = readPart(call);
    const uploadId = uploadIdOf(call);
    // This is checked before the body is read, so that no client sends megabytes that are discarded.
    if ((await uploads.find(project, drive, name, uploadId)) === undefined) throw unknownUpload();
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

export const endUpload = operation({
  ...ofUpload,
  method: 'PATCH',
  path: uploadPath,
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

const OpenUpload = named('OpenUpload', object({ upload_id: text, name: text }));

export const listUploads = operation({
  method: 'GET',
  path: '/v1/{project}/{drive}/uploads',
  access: 'write',
  names: 'narrowed',
  summary: 'List open uploads',
  parameters: pageParameters,
  answers: { 200: pageAnswer('A page of uploads', { uploads: list(OpenUpload) }) },
  failures: [400],
  handle: async (call, { drives }: DriveServices) => {
    const last = readNamePart(call, 'last');
    const asked = { within: call.grant.prefix, last, limit: readLimit(call) };
    const { uploads, more } = await drives.uploads.list(call.project, call.name, asked);
    const ids = uploads.map(({ uploadId }) => uploadId);
    const details = uploads.map(({ uploadId, name }) => ({ upload_id: uploadId, name }));
    return json(200, { ...pagingOf(ids, more), uploads: details });
  },
});

export const getUpload = operation({
  ...ofUpload,
  method: 'GET',
  path: uploadPath,
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

export const abortUpload = operation({
  ...ofUpload,
  method: 'DELETE',
  path: uploadPath,
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
