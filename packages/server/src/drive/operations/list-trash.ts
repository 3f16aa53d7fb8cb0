import { json } from '../../http/answers/answer.js';
import { namesPage, pageAnswer, pagingOf, readLimit, readNamePart } from '../../http/parameters/paging.js';
import { operation } from '../../http/routing/operation.js';
import { list } from '../../json/schema.js';
import { detailsOf } from '../files/details.js';
import { readTimedLast } from '../parameters.js';
import { TrashedFile } from '../schemas.js';
import type { DriveServices } from '../service.js';

export const listTrash = operation({
  ...namesPage,
  method: 'GET',
  path: '/v1/{project}/{drive}/trash',
  access: 'read',
  names: 'narrowed',
  summary: 'List the trash of a drive',
  answers: { 200: pageAnswer('A page of files', { files: list(TrashedFile) }) },
  handle: async (call, { drives }: DriveServices) => {
    const query = {
      within: call.grant.prefix,
      prefix: readNamePart(call, 'prefix'),
      last: readTimedLast(call, 'a page of the trash'),
      limit: readLimit(call),
    };
    const { files, more } = await drives.trash.list(call.project, call.name, query);
    const ids = files.map(({ id }) => id);
    return json(200, {
      ...pagingOf(ids, more),
      files: files.map(({ id, file }) => ({
        id,
        ...detailsOf(file.name, file),
        deleted: Math.floor(file.deletedMs / 1000),
        expires: file.endsAtSeconds,
      })),
    });
  },
});
