import { type ElementReader, JsonError, readJson } from '../json/parse.js';
import type { JsonValue } from '../json/value.js';
import type { Steps } from '../lib/time-slices.js';
import { badRequest } from '../request-error.js';
import { maxBodyDepth, maxBodyString, maxBodyValues } from './limits.js';

/** A JSON body of the file API, in steps: it may have megabytes. Throws the 400 `RequestError` of one that is not. */
export function* readBody(body: Buffer, elements?: ElementReader): Steps<JsonValue> {
  try {
    return yield* readJson(body, {
      maxDepth: maxBodyDepth,
      maxValues: maxBodyValues,
      maxStringCharacters: maxBodyString,
      numbers: 'any',
      ...(elements && { elements }),
    });
  } catch (cause) {
    if (cause instanceof JsonError) throw badRequest(`body: ${cause.message}`);
    throw cause;
  }
}
