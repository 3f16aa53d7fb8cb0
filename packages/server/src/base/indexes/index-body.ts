import { objectOf, textOf } from '../../http/requests/bodies/members.js';
import type { Outline } from '../../json/outline.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { type BrokenRule, badField, broken, type RequestError } from '../../request-error.js';
import { listSegmentProblem, parseAttributePath, shownPath } from '../items/attribute-path.js';
import { readBody } from '../items/item.js';
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
  const fields = objectOf(yield* readBody(body, { outline })).get('fields') ?? null;
  if (!Array.isArray(fields)) throw badField('fields', 'wrong_type', 'must be a list of attribute paths');
  if (fields.length === 0 || fields.length > maxIndexFields) throw wrongCount(fields.length);
  return fields.map((given, index) => {
    const path = textOf(given, `fields[${index}]`, fieldProblem, 'must be an attribute path');
    if (fields.indexOf(path) === index) return path;
    throw badField(`fields[${index}]`, 'duplicate', `the path ${shownPath(path)} is named twice`);
  });
}

function wrongCount(count: number | string): RequestError {
  const rule = `has ${count} paths, must have 1 to ${maxIndexFields}`;
  return badField('fields', count === 0 ? 'empty' : 'too_many', rule);
}

/** The rules of the paths of `order`, without a sign. */
function fieldProblem(path: string): BrokenRule | undefined {
  const bytes = Buffer.byteLength(path);
  if (bytes > maxIndexFieldBytes)
    return broken('too_long', `has ${bytes} bytes of UTF-8, at most ${maxIndexFieldBytes}`);
  if (path.startsWith('-'))
    return broken('not_allowed', 'must not begin with -, because an index serves both directions');
  if (path === 'key')
    return broken('not_allowed', 'must not be key, because items are ordered by key without an index');
  const segments = parseAttributePath(path);
  if ('problem' in segments)
    return broken(segments.problem.code, `the attribute path ${segments.problem.rule}`);
  return listSegmentProblem(segments);
}
