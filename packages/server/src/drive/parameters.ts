import type { Call } from '../http/call.js';
import { expiresInOf, secondsAhead } from '../http/expires-in.js';
import { inPath, inQuery, required, seconds } from '../http/operation.js';
import { readWhole } from '../http/parameters.js';
import { isRandomId } from '../lib/random-id.js';
import { badRequest, notFound, type RequestError } from '../request-error.js';
import { eitherExpiry, expiresRule } from './file-changes.js';
import { nameProblem } from './name.js';
import type { FileExpiry } from './rows.js';

/** What several operations of the file API read of a request besides its body, and what answers repeat of it. */

export const nameParameter = required(inQuery('name', 'The name of the file'));
export const expiryParameters = [
  inQuery('expires', 'The second from which on the file is gone', seconds),
  inQuery('expires_in', 'Or for how many seconds it is kept, from when it is stored', secondsAhead),
];
export const uploadParameter = inPath('upload_id', 'The id of the upload');

/** The parameter `name`. Throws a 400 `RequestError` that says what is wrong with it. */
export function readName({ query }: Call): string {
  const name = query.get('name');
  const problem = name === undefined ? 'is required' : nameProblem(name);
  if (name === undefined || problem !== undefined) throw badRequest(`name: ${problem}`);
  return name;
}

/** Reads `expires` and `expires_in` of docs/http.md#expiring-files. An empty text means absent. */
export function readExpiry(call: Call): FileExpiry {
  const text = call.query.get('expires');
  const expiresInSeconds = expiresInOf(call);
  if (text === undefined || text === '') return { expiresInSeconds };
  const expiresAtSeconds = readWhole(text);
  if (expiresAtSeconds === undefined || !Number.isSafeInteger(expiresAtSeconds))
    throw badRequest(`expires: ${expiresRule}`);
  if (expiresInSeconds !== undefined) throw badRequest(eitherExpiry);
  return { expiresAtSeconds };
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
  return notFound('Upload not found');
}

export function ownersOf({ project, name }: Call) {
  return { project_id: project, drive_name: name };
}
