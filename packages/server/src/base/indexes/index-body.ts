import type { Outline } from '../../json/outline.js';
import type { JsonObject } from '../../json/value.js';
import type { Steps } from '../../lib/time-slices.js';
import { badRequest } from '../../request-error.js';
import { listIndex, parseAttributePath, shownPath } from '../attribute-path.js';
import { readBody } from '../item.js';
import { maxIndexFieldBytes, maxIndexFields } from '../limits.js';

/** The message says how many there are, up to this number. */
const maxCountedFields = 100;

const outline: Outline = {
  members: new Map([
    ['fields', { most: maxCountedFields, problem: () => wrongCount(`more than ${maxCountedFields}`) }],
  ]),
};

/**
 * Reads the body of Declare Index (docs/http.md#declare-index): gives the paths of its fields. Throws a 400
 * `RequestError` that names the member and the rule.
 */
export function* readIndexBody(body: Buffer): Steps<readonly string[]> {
  const value = yield* readBody(body, { outline });
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  return readFields(value);
}

function wrongCount(count: number | string): Error {
  return badRequest(`fields: has ${count} paths, must have 1 to ${maxIndexFields}`);
}

function readFields(value: JsonObject): readonly string[] {
  const fields = value.get('fields') ?? null;
  if (!Array.isArray(fields)) throw badRequest('fields: must be a list of attribute paths');
  if (fields.length === 0 || fields.length > maxIndexFields) {
    throw wrongCount(fields.length);
  }
  for (const [place, path] of fields.entries()) {
    if (typeof path !== 'string') throw badRequest(`fields[${place}]: must be an attribute path`);
    const problem = fieldProblem(path);
    if (problem !== undefined) throw badRequest(`fields[${place}]: ${problem}`);
    if (fields.indexOf(path) !== place) {
      throw badRequest(`fields[${place}]: the path ${shownPath(path)} is named twice`);
    }
  }
  return fields as string[];
}

/** The rules of the paths of `order`, without a sign. */
function fieldProblem(path: string): string | undefined {
  const bytes = Buffer.byteLength(path);
  if (bytes > maxIndexFieldBytes) return `has ${bytes} bytes of UTF-8, at most ${maxIndexFieldBytes}`;
  if (path.startsWith('-')) return 'must not begin with -, because an index serves both directions';
  if (path === 'key') return 'must not be key, because items are ordered by key without an index';
  const segments = parseAttributePath(path);
  if ('problem' in segments) return `the attribute path ${segments.problem}`;
  const index = segments.find((segment) => listIndex(segment) !== undefined);
  return index === undefined ? undefined : `must not lead through a list, as the segment ${index} does`;
}
