import { requireWithin } from '../../access/scope.js';
import { json, jsonText } from '../../http/answers/answer.js';
import { allParameter, requireTrue } from '../../http/parameters/parameters.js';
import { DeletedAll, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { onceReady } from '../../lib/concurrency/once-ready.js';
import { runInSlices } from '../../lib/concurrency/time-slices.js';
import { downloadAnswer, fileAnswers, keyedDownload, readParameters } from '../downloads/download.js';
import { filePartsOf } from '../downloads/file-parts.js';
import { ChangeFileRequest, readFileChanges } from '../files/change-file.js';
import {
  DeleteFilesRequest,
  DeleteFilesResponse,
  readDeleteBody,
  writeDeleteResponse,
} from '../files/delete-body.js';
import { checksumOf, detailsOf } from '../files/details.js';
import { maxChangesBodyBytes, maxDeleteBodyBytes } from '../limits.js';
import {
  fileNotFound,
  folderParameter,
  nameParameter,
  nameRule,
  readFileName,
  readName,
} from '../parameters.js';
import { jsonBodyOf } from '../request-body.js';
import { etagOf } from '../rows.js';
import { DetailedFile, FileParts } from '../schemas.js';
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

export const deleteAllFiles = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/files?all=true',
  access: 'full',
  names: 'narrowed',
  summary: 'Delete all files',
  parameters: [allParameter],
  answers: { 200: jsonAnswer('How many were deleted', DeletedAll) },
  failures: [400],
  handle: async (call, { drives }: DriveServices) => {
    requireTrue(call, 'all');
    const { project, name, grant } = call;
    const deleted = await drives.removeAll(project, name, grant.prefix, () => call.isAbandoned);
    return json(200, { deleted });
  },
});

export const downloadFile = operation({
  method: 'GET',
  path: '/v1/{project}/{drive}/files/download',
  access: 'read',
  names: 'query',
  summary: 'Download a file',
  parameters: [nameParameter, folderParameter, ...readParameters],
  answers: fileAnswers,
  failures: [400, 404, 412, 416],
  handle: (call, { drives }: DriveServices) => {
    const name = readFileName(call);
    const file = drives.open(call.project, call.name, name);
    const answer = (found: Awaited<typeof file>) => {
      if (found === undefined) throw fileNotFound();
      return downloadAnswer(found, call.headers, keyedDownload(name, found));
    };
    return onceReady(file, answer);
  },
});

export const fileParts = operation({
  method: 'GET',
  path: '/v1/{project}/{drive}/files/parts',
  access: 'read',
  names: 'query',
  section: 'file-parts',
  summary: 'List the parts of a file',
  parameters: [nameParameter],
  answers: { 200: jsonAnswer('The parts of which it was made', FileParts) },
  failures: [400, 404],
  handle: async (call, { drives }: DriveServices) => {
    const name = readName(call);
    const file = await drives.open(call.project, call.name, name);
    if (file === undefined) throw fileNotFound();
    file.release();
    const parts = filePartsOf(file).map(({ sizeBytes, checksum }) => ({
      size: sizeBytes,
      ...(checksum !== undefined && { checksum: checksumOf(checksum) }),
    }));
    return json(200, { name, etag: etagOf(file.row), parts });
  },
});
