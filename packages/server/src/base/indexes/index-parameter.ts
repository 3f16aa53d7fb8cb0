import type { Call } from '../../http/call.js';
import { inPath } from '../../http/operation.js';
import { described, list, oneOf, text } from '../../json/schema.js';
import { hasControlCharacter } from '../../lib/control-characters.js';
import { badRequest } from '../../request-error.js';
import { maxIndexNameBytes } from '../limits.js';
import { attributePath } from '../schemas.js';

export const indexParameter = inPath('index', 'The name of the index');

/** What an answer says of an index. */
export const indexMembers = {
  name: text,
  fields: list(attributePath),
  state: described(oneOf('building', 'ready'), 'Queries use an index when it is ready'),
};

/**
 * The name of the index in the path, which obeys the rules of the names of bases (docs/http.md#paths). Throws a 400
 * `RequestError`.
 */
export function indexNameOf({ params: { index = '' } }: Call): string {
  const bytes = Buffer.byteLength(index);
  if (index === '') throw badRequest('index: must not be empty');
  if (bytes > maxIndexNameBytes) {
    throw badRequest(`index: has ${bytes} bytes of UTF-8, at most ${maxIndexNameBytes}`);
  }
  if (index === 'none')
    throw badRequest('index: must not be none, which Server-Timing says without an index');
  if (hasControlCharacter(index)) throw badRequest('index: control characters are not allowed');
  return index;
}
