import { readExpiresIn, secondsAhead } from '../http/expires-in.js';
import { seconds } from '../http/operation.js';
import { closed, described, named, nullable, optional, string } from '../json/schema.js';
import { JsonNumber } from '../json/value.js';
import type { Steps } from '../lib/time-slices.js';
import { badRequest } from '../request-error.js';
import { readBody } from './json-body.js';
import type { FileChanges } from './service.js';

export const expiresRule = 'must be whole seconds since 1970 UTC';
export const eitherExpiry = 'expires: must not be given together with expires_in';

export const ChangeFileRequest = named(
  'ChangeFileRequest',
  closed(
    {
      expires: optional(
        described(nullable(seconds), 'Whole seconds since 1970 UTC; null: the file does not expire'),
      ),
      expires_in: optional(described(secondsAhead, 'Or for how many seconds from now on the file is kept')),
      content_type: optional(string({ minLength: 1, maxLength: 255 })),
    },
    { minProperties: 1 },
  ),
);

const members = Object.keys(ChangeFileRequest.properties);
const maxShown = 100;
/** A text that is allowed as the value of a header. */
const printable = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/**
 * Reads the body of Change File (docs/http.md#change-file). Throws the 400 `RequestError` that names the member that
 * breaks a rule.
 */
export function* readFileChanges(body: Buffer): Steps<FileChanges> {
  const value = yield* readBody(body);
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  for (const member of value.keys()) {
    if (!members.includes(member)) {
      throw badRequest(`${member.slice(0, maxShown)}: is not a member of this request`);
    }
  }
  if (value.size === 0) throw badRequest('body: must have expires, expires_in or content_type');
  const contentType = value.get('content_type');
  if (contentType !== undefined && (typeof contentType !== 'string' || !printable.test(contentType))) {
    throw badRequest('content_type: must be a text of 1 to 255 printable ASCII characters');
  }
  const expires = value.get('expires');
  const expiresInSeconds = readExpiresIn(value.get('expires_in'));
  if (expiresInSeconds !== undefined) {
    if (expires !== undefined) throw badRequest(eitherExpiry);
    return { contentType, expiresInSeconds };
  }
  if (expires === undefined || expires === null) return { contentType, expiresAtSeconds: expires };
  const seconds = expires instanceof JsonNumber ? Number(expires.text) : Number.NaN;
  if (!Number.isSafeInteger(seconds) || seconds < 0) throw badRequest(`expires: ${expiresRule} or null`);
  return { contentType, expiresAtSeconds: seconds };
}
