import { json } from '../../http/answers/answer.js';
import {
  pageAnswer,
  pageParameters,
  pagingOf,
  readLimit,
  readNamePart,
} from '../../http/parameters/paging.js';
import { operation } from '../../http/routing/operation.js';
import { list, named, object, text } from '../../json/schema.js';
import type { DriveServices } from '../service.js';

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
