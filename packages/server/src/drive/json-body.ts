import { JsonError, type JsonRules, readJson } from '../json/parse.js';
import type { JsonValue } from '../json/value.js';
import type { Steps } from '../lib/time-slices.js';
import { badRequest } from '../request-error.js';
import { maxBodyDepth, maxBodyString, maxBodyValues } from './limits.js';

/**
 * Reads a JSON body of the file API. It works in steps, because the body may have several megabytes. Throws a 400
 * `RequestError` if the body is not JSON or exceeds a limit of JSON bodies.
 */
export function* readBody(
  body: Buffer,
  rules: Pick<JsonRules, 'elements' | 'outline'> = {},
): Steps<JsonValue> {
  try {
    return yield* readJson(body, {
      maxDepth: maxBodyDepth,
      maxValues: maxBodyValues,
      maxStringCharacters: maxBodyString,
      numbers: 'short',
      ...rules,
    });
  } catch (cause) {
    if (cause instanceof JsonError) throw badRequest(`body: ${cause.message}`);
    throw cause;
  }
}
