import { flagOf, listOf, objectOf, refuseOthers, textOf } from '../../http/requests/bodies/members.js';
import { closed, described, list, named, optional, orNull, text, truth } from '../../json/schema.js';
import type { JsonValue } from '../../json/value.js';
import { freeing, type Steps } from '../../lib/concurrency/time-slices.js';
import { badField, broken } from '../../request-error.js';
import { nameProblem } from '../files/name.js';
import { maxRestoredFiles } from '../limits.js';
import { readBody } from '../request-body.js';
import { isTimedId } from '../rows.js';
import type { Restore, RestoreRequest } from './trash.js';

/** The bodies of requests about the trash of a drive (docs/http.md#trash). */

const File = closed({
  id: text,
  name: optional(described(text, 'Default: the name that it had')),
});
const files = list(File, { minItems: 1, maxItems: maxRestoredFiles });
const ids = list(text, { minItems: 1, maxItems: maxRestoredFiles });

export const RestoreFilesRequest = named(
  'RestoreFilesRequest',
  closed({
    files,
    overwrite: orNull(
      described(truth, 'Whether files of these names are replaced; they come to the trash then'),
    ),
  }),
);

export const EmptyTrashRequest = named('EmptyTrashRequest', closed({ ids }));

/** Throws the 400 `RequestError` that names the member that breaks a rule. */
export function* readRestoreBody(body: Buffer): Steps<Omit<RestoreRequest, 'within'>> {
  const value = objectOf(yield* freeing(readBody(body)));
  refuseOthers(value, RestoreFilesRequest);
  const given = listOf(value.get('files'), 'files', files, 'objects');
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
export function* readEmptyBody(body: Buffer): Steps<readonly string[]> {
  const value = objectOf(yield* freeing(readBody(body)));
  refuseOthers(value, EmptyTrashRequest);
  const given = listOf(value.get('ids'), 'ids', ids, 'strings');
  return [...new Set(given.map((id, index) => textOf(id, `ids[${index}]`, idProblem)))];
}

/** An id is a time and the id of a content. One of another form is nowhere. */
function idProblem(id: string) {
  return isTimedId(id) ? undefined : broken('invalid_value', 'must be an id of List Trash');
}
