import { parseBody } from '../http/requests/bodies/members.js';
import type { JsonRules } from '../json/parse.js';
import type { JsonValue } from '../json/value.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { maxBodyDepth, maxBodyString, maxBodyValues } from './limits.js';

/**
 * Reads a JSON body of the file API. It works in steps, because the body may have several megabytes. Throws a 400
 * `RequestError` if the body is not JSON or exceeds a limit of JSON bodies.
 */
export function readBody(
  body: Buffer,
  rules: Pick<JsonRules, 'elements' | 'outline'> = {},
): Steps<JsonValue> {
  return parseBody(body, {
    maxDepth: maxBodyDepth,
    maxValues: maxBodyValues,
    maxStringCharacters: maxBodyString,
    numbers: 'short',
    ...rules,
  });
}
