import { flagOf, objectOf, textOf, typeFault } from '../../http/requests/bodies/members.js';
import type { Outline } from '../../json/outline.js';
import type { JsonObject } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { type BrokenRule, badField, broken, type RequestError } from '../../request-error.js';
import { listSegmentProblem, parseAttributePath, shownPath } from '../items/attribute-path.js';
import { readBody } from '../items/item.js';
import { maxIndexFieldBytes, maxIndexFields } from '../limits.js';
import type { IndexDefinition } from './index-operations.js';

/** The message says how many there are, up to this number. */
const maxCountedFields = 100;

const outline: Outline = {
  members: new Map([
    ['fields', { most: maxCountedFields, problem: () => wrongCount(`more than ${maxCountedFields}`) }],
  ]),
};

/**
 * Reads the body of Declare Index (docs/http.md#declare-index): the paths of its fields, and what the index is for.
 * Throws a 400 `RequestError` that names the member and the rule.
 */
export function* readIndexBody(body: Buffer): Steps<IndexDefinition> {
  const object = objectOf(yield* readBody(body, { outline }));
  const fields = fieldsOf(object);
  const isUnique = flagOf(object.get('unique') ?? false, 'unique');
  const isEach = flagOf(object.get('each') ?? false, 'each');
  if (isEach && fields.length > 1)
    throw badField('each', 'contradiction', `is for one field, and there are ${fields.length}`);
  if (isEach && isUnique) throw badField('each', 'contradiction', 'must not be true together with unique');
  return { fields, ...(isUnique && { unique: true }), ...(isEach && { each: true }) };
}

function fieldsOf(object: JsonObject): readonly string[] {
  const fields = object.get('fields');
  if (!Array.isArray(fields))
    throw badField('fields', typeFault(fields), 'must be a list of attribute paths');
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
