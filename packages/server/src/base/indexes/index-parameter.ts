import type { Call } from '../../http/requests/call.js';
import { inPath } from '../../http/routing/operation.js';
import { described, list, oneOf, optional, text, truth } from '../../json/schema.js';
import { hasControlCharacter } from '../../lib/text/control-characters.js';
import { badField } from '../../request-error.js';
import { maxIndexNameBytes } from '../limits.js';
import { attributePath } from '../schemas.js';

export const indexParameter = inPath('index', 'The name of the index');

/** What an answer says of an index. */
export const indexMembers = {
  name: text,
  fields: list(attributePath),
  unique: optional(described(truth, 'True: no two items have equal values of all fields')),
  each: optional(described(truth, 'True: each different element of a list has an entry')),
  state: described(oneOf('building', 'ready', 'failed'), 'Queries use an index when it is ready'),
  collisions: optional(
    described(list(text), 'Of a unique index that failed: the first keys of items with equal values'),
  ),
};

/**
 * The name of the index in the path, which obeys the rules of the names of bases (docs/http.md#paths). Throws a 400
 * `RequestError`.
 */
export function indexNameOf({ params: { index = '' } }: Call): string {
  const bytes = Buffer.byteLength(index);
  if (index === '') throw badField('index', 'empty', 'must not be empty');
  if (bytes > maxIndexNameBytes) {
    throw badField('index', 'too_long', `has ${bytes} bytes of UTF-8, at most ${maxIndexNameBytes}`);
  }
  if (index === 'none')
    throw badField('index', 'not_allowed', 'must not be none, which Server-Timing says without an index');
  if (hasControlCharacter(index))
    throw badField('index', 'invalid_text', 'control characters are not allowed');
  return index;
}
