import { booleanText, readBoolean } from '../http/parameters/boolean-parameter.js';
import { expiresInOf, secondsAhead } from '../http/parameters/expires-in.js';
import { readNamePart } from '../http/parameters/paging.js';
import { parameterOf } from '../http/parameters/parameters.js';
import { textOf, wholeOf } from '../http/requests/bodies/members.js';
import type { Call } from '../http/requests/call.js';
import { inPath, inQuery, required, seconds } from '../http/routing/operation.js';
import { integer } from '../json/schema.js';
import { isRandomId } from '../lib/random-id.js';
import { badField, type RequestError, refused } from '../request-error.js';
import { eitherExpiry, expiresRule, safeInteger } from './files/change-file.js';
import { fileOrFolderNameProblem, folderNameProblem, nameProblem } from './files/name.js';
import { maxParts } from './limits.js';
import { type FileExpiry, isFolder, isTimedId } from './rows.js';

/** What several operations of the file API read of a request besides its body, and what answers repeat of it. */

export const nameParameter = required(inQuery('name', 'The name of the file'));
export const folderParameter = inQuery(
  'folder',
  '`true`: a name that ends in `/` is that of the marker of a folder',
  booleanText,
);
export const expiryParameters = [
  inQuery('expires', 'The second from which on the file is gone', seconds),
  inQuery('expires_in', 'Or for how many seconds it is kept, from when it is stored', secondsAhead),
];
export const uploadParameter = inPath('upload_id', 'The id of the upload');

/** The parameter `name`. Throws a 400 `RequestError` that says what is wrong with it. */
export function readName({ query }: Call): string {
  const name = query.get('name');
  if (name === undefined) throw badField('name', 'required', 'is required');
  return textOf(name, 'name', nameProblem);
}

/** The same; with `folder=true` it may be that of the marker of a folder, too (docs/http.md#folder-markers). */
export function readFileName(call: Call): string {
  const name = call.query.get('name');
  if (name === undefined || !isFolder(name) || !readBoolean(call, 'folder', false)) return readName(call);
  return textOf(name, 'name', folderNameProblem);
}

/** What the names in a body must be: with `folder=true` they may be those of markers of folders, too. */
export function nameRule(call: Call): typeof nameProblem {
  return readBoolean(call, 'folder', false) ? fileOrFolderNameProblem : nameProblem;
}

/** Reads `expires` and `expires_in` of docs/http.md#expiring-files. An empty text means absent. */
export function readExpiry(call: Call): FileExpiry {
  const expiresInSeconds = expiresInOf(call);
  const given = parameterOf(call, 'expires') || undefined;
  if (given === undefined) return { expiresInSeconds };
  const expiresAtSeconds = wholeOf(given, 'expires', safeInteger, expiresRule);
  if (expiresInSeconds !== undefined) throw eitherExpiry();
  return { expiresAtSeconds };
}

const partNumber = integer({ minimum: 1, maximum: maxParts });
export const partParameter = required(inQuery('part', 'Its number', partNumber));

/** The parameter `part`. Throws a 400 `RequestError`. */
export function readPart(call: Call): number {
  return wholeOf(parameterOf(call, 'part'), 'part', partNumber, `an integer from 1 to ${maxParts}`);
}

/**
 * The id of an upload in the path. One that this service cannot have made belongs to no upload, so it needs no error of
 * its own.
 */
export function uploadIdOf({ params: { uploadId = '' } }: Call): string {
  if (!isRandomId(uploadId)) throw unknownUpload();
  return uploadId;
}

export function unknownUpload(): RequestError {
  return refused('upload_not_found', 'Upload not found');
}

export function ownersOf({ project, name }: Call) {
  return { project_id: project, drive_name: name };
}

export function fileNotFound(): RequestError {
  return refused('file_not_found', 'File not found');
}

/**
 * The parameter `last` of a list in the order of time: an id of `timedId`; empty for the first page. `page` is what the
 * message calls it. Throws a 400 `RequestError`.
 */
export function readTimedLast(call: Call, page: string): string {
  const last = readNamePart(call, 'last');
  if (last === '' || isTimedId(last)) return last;
  throw badField('last', 'invalid_value', `must be the paging.last of ${page}`);
}
