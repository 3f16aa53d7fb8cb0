import { isWithin, requireWithin } from '../../access/scope.js';
import { json } from '../../http/answers/answer.js';
import { namesPage, pageAnswer, pagingOf, readLimit, readNamePart } from '../../http/parameters/paging.js';
import { allParameter, requireTrue } from '../../http/parameters/parameters.js';
import { flagOf, listOf, objectOf, refuseOthers, textOf } from '../../http/requests/bodies/members.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { closed, described, list, named, object, optional, orNull, text, truth } from '../../json/schema.js';
import type { JsonValue } from '../../json/value.js';
import { freeing, type Steps } from '../../lib/concurrency/time-slices.js';
import { badField, broken } from '../../request-error.js';
import { detailsOf } from '../files/details.js';
import { nameProblem } from '../files/name.js';
import { maxChangesBodyBytes, maxRestoredFiles, maxTransferBodyBytes } from '../limits.js';
import { readTimedLast } from '../parameters.js';
import { jsonBodyOf, readBody } from '../request-body.js';
import { isTimedId } from '../rows.js';
import { TrashedFile } from '../schemas.js';
import type { DriveServices } from '../service.js';
import type { Restore, RestoreRequest } from '../trash/trash.js';

/** The operations on the trash of a drive, and their bodies (docs/http.md#trash). */

const File = closed({
  id: text,
  name: optional(described(text, 'Default: the name that it had')),
});
const fileList = list(File, { minItems: 1, maxItems: maxRestoredFiles });
const idList = list(text, { minItems: 1, maxItems: maxRestoredFiles });

const RestoreFilesRequest = named(
  'RestoreFilesRequest',
  closed({
    files: fileList,
    overwrite: orNull(
      described(truth, 'Whether files of these names are replaced; they come to the trash then'),
    ),
  }),
);

const EmptyTrashRequest = named('EmptyTrashRequest', closed({ ids: idList }));

/** Throws the 400 `RequestError` that names the member that breaks a rule. */
function* readRestoreBody(body: Buffer): Steps<Omit<RestoreRequest, 'within'>> {
  const value = objectOf(yield* freeing(readBody(body)));
  refuseOthers(value, RestoreFilesRequest);
  const given = listOf(value.get('files'), 'files', fileList, 'objects');
  const seen = new Set<string>();
  const read: Restore[] = [];
  for (const [index, file] of given.entries()) {
    const restore = readRestore(file, `files[${index}]`);
    if (seen.has(restore.id)) throw badField(`files[${index}].id`, 'duplicate', 'occurs twice');
    seen.add(restore.id);
    read.push(restore);
    if (index % filesPerStep === filesPerStep - 1) yield;
  }
  return { files: read, overwrite: flagOf(value.get('overwrite') ?? false, 'overwrite') };
}

const filesPerStep = 32;

function readRestore(given: JsonValue, path: string): Restore {
  if (!(given instanceof Map)) throw badField(path, 'wrong_type', 'must be an object of id and name');
  refuseOthers(given, File, { rule: 'is not a member of a file', within: `${path}.` });
  const name = given.get('name');
  return {
    id: textOf(given.get('id'), `${path}.id`, idProblem),
    name: name === undefined ? undefined : textOf(name, `${path}.name`, nameProblem),
  };
}

/** Throws the 400 `RequestError` that names the member that breaks a rule. */
function* readEmptyBody(body: Buffer): Steps<readonly string[]> {
  const value = objectOf(yield* freeing(readBody(body)));
  refuseOthers(value, EmptyTrashRequest);
  const given = listOf(value.get('ids'), 'ids', idList, 'strings');
  return [...new Set(given.map((id, index) => textOf(id, `ids[${index}]`, idProblem)))];
}

/** An id is a time and the id of a content. One of another form is nowhere. */
function idProblem(id: string) {
  return isTimedId(id) ? undefined : broken('invalid_value', 'must be an id of List Trash');
}

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
