import { json } from '../../http/answers/answer.js';
import { flagOf, objectOf, textOf, typeFault } from '../../http/requests/bodies/members.js';
import type { Call } from '../../http/requests/call.js';
import { count, inPath, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import type { Outline } from '../../json/outline.js';
import { described, list, named, object, oneOf, optional, text, truth } from '../../json/schema.js';
import type { JsonObject } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { hasControlCharacter } from '../../lib/text/control-characters.js';
import { type BrokenRule, badField, broken, type RequestError } from '../../request-error.js';
import { baseSpace } from '../../spaces.js';
import type { IndexDefinition } from '../indexes/index-operations.js';
import { listSegmentProblem, parseAttributePath, shownPath } from '../items/attribute-path.js';
import { readBody } from '../items/item.js';
import { maxIndexFieldBytes, maxIndexFields, maxIndexNameBytes } from '../limits.js';
import { bodyOf } from '../request-body.js';
import { attributePath } from '../schemas.js';
import type { BaseServices } from '../service.js';

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

const indexParameter = inPath('index', 'The name of the index');

/** What an answer says of an index. */
const indexMembers = {
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
function indexNameOf({ params: { index = '' } }: Call): string {
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

const Index = named('IndexInfo', object(indexMembers));

export const declareIndex = operation({
  method: 'PUT',
  path: '/v1/{project}/{base}/indexes/{index}',
  access: 'full',
  summary: 'Declare an index',
  parameters: [indexParameter],
  request: jsonBody(
    object({
      fields: list(attributePath, { minItems: 1, maxItems: maxIndexFields }),
      unique: optional(described(truth, 'True: no two items may have equal values of all fields')),
      each: optional(
        described(truth, 'True: of one field, whose value is a list, for `?has` and `?contains`'),
      ),
    }),
  ),
  answers: { 202: jsonAnswer('It is being built', Index), 200: jsonAnswer('It exists', Index) },
  failures: [409],
  handle: async (call, { bases }: BaseServices) => {
    const name = indexNameOf(call);
    const wanted = await bodyOf(call, readIndexBody);
    const space = baseSpace(call.project, call.name);
    const { index, isNew } = await bases.indexes.declare(space, name, wanted);
    return json(isNew ? 202 : 200, index);
  },
});

const CountedIndex = named(
  'CountedIndexInfo',
  object({
    ...indexMembers,
    entries: described(count, 'Their number: one for each item, or with `each` for each different element'),
    exact: described(truth, 'False if not all entries were counted: then there are more'),
    uses: described(count, 'The queries that this server has answered by it since it has started'),
    used_at: optional(described(count, 'When it was the last time, in whole seconds since 1970 UTC')),
  }),
);

export const listIndexes = operation({
  method: 'GET',
  path: '/v1/{project}/{base}/indexes',
  access: 'read',
  summary: 'List indexes',
  answers: {
    200: jsonAnswer(
      'The indexes, in the order of their declaration',
      object({ indexes: list(CountedIndex) }),
    ),
  },
  handle: async (call, { bases }: BaseServices) => {
    const space = baseSpace(call.project, call.name);
    return json(200, { indexes: await bases.indexes.list(space, () => call.isAbandoned) });
  },
});

export const dropIndex = operation({
  method: 'DELETE',
  path: '/v1/{project}/{base}/indexes/{index}',
  access: 'full',
  summary: 'Drop an index',
  parameters: [indexParameter],
  answers: { 200: jsonAnswer('It is gone, or never was', object({ name: text })) },
  failures: [400],
  handle: async (call, { bases }: BaseServices) => {
    const name = indexNameOf(call);
    await bases.indexes.drop(baseSpace(call.project, call.name), name);
    return json(200, { name });
  },
});
