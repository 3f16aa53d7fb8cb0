import { isWithin, requireWithin } from '../../access/scope.js';
import { json } from '../../http/answers/answer.js';
import { namesPage, pageAnswer, pagingOf, readLimit, readNamePart } from '../../http/parameters/paging.js';
import { allParameter, requireTrue } from '../../http/parameters/parameters.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { list, named, object } from '../../json/schema.js';
import { detailsOf } from '../files/details.js';
import { maxChangesBodyBytes, maxTransferBodyBytes } from '../limits.js';
import { readTimedLast } from '../parameters.js';
import { jsonBodyOf } from '../request-body.js';
import { TrashedFile } from '../schemas.js';
import type { DriveServices } from '../service.js';
import {
  EmptyTrashRequest,
  RestoreFilesRequest,
  readEmptyBody,
  readRestoreBody,
} from '../trash/trash-body.js';

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

export const restoreFiles = operation({
  method: 'POST',
  path: '/v1/{project}/{drive}/trash/restore',
  access: 'write',
  names: 'body',
  summary: 'Give files from the trash back',
  request: jsonBody(RestoreFilesRequest, { tooLarge: 'page' }),
  answers: { 200: jsonAnswer('How many came back', object({ restored: count })) },
  failures: [404, 409],
  handle: async (call, { drives }: DriveServices) => {
    const body = await jsonBodyOf(call, maxTransferBodyBytes, readRestoreBody);
    const { project, name: drive, grant } = call;
    for (const { name } of body.files) if (name !== undefined) requireWithin(grant, name);
    await drives.trash.restore(project, drive, { ...body, within: grant.prefix });
    return json(200, { restored: body.files.length });
  },
});

const answers = {
  200: jsonAnswer(
    'How many files are gone for good',
    named('EmptyTrashResponse', object({ deleted: count })),
  ),
};

export const deleteFromTrash = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/trash',
  access: 'full',
  names: 'narrowed',
  section: 'empty-trash',
  summary: 'Delete files of the trash for good',
  request: jsonBody(EmptyTrashRequest, { tooLarge: 'page' }),
  answers,
  handle: async (call, { drives }: DriveServices) => {
    const ids = await jsonBodyOf(call, maxChangesBodyBytes, readEmptyBody);
    const isAllowed = (name: string) => isWithin(call.grant, name);
    return json(200, { deleted: await drives.trash.remove(call.project, call.name, ids, isAllowed) });
  },
});

export const emptyTrash = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/trash?all=true',
  access: 'full',
  names: 'narrowed',
  summary: 'Empty the trash',
  parameters: [allParameter],
  answers,
  failures: [400],
  handle: async (call, { drives }: DriveServices) => {
    requireTrue(call, 'all');
    const { project, name, grant } = call;
    const deleted = await drives.trash.removeAll(project, name, grant.prefix, () => call.isAbandoned);
    return json(200, { deleted });
  },
});
