import { narrowedRange } from '../../access/scope.js';
import { jsonText } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import {
  anything,
  described,
  list,
  named,
  object,
  optional,
  record,
  text,
  truth,
} from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { readCountBody } from '../by-query/by-query-body.js';
import { rereadableBodyOf } from '../request-body.js';
import { setOptions } from '../schemas.js';
import type { BaseServices } from '../service.js';

const range = object({ min: anything, max: anything });

const AttributeProfile = named(
  'AttributeProfile',
  object({
    path: described(text, 'An attribute path'),
    items: described(count, 'The items that have the attribute'),
    types: record(count, {
      description: 'Of these, by type: `number`, `string`, `boolean`, `null`, `list`, `object`',
    }),
    numbers: optional(range),
    strings: optional(described(range, 'In the order of UTF-8 bytes. Cut after 100 characters')),
    distinct: optional(described(count, 'The number of different values, where all of them were counted')),
    values: list(object({ value: anything, items: count }), {
      maxItems: 10,
      description: 'The most frequent values',
    }),
  }),
);

export const profileItems = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/query/profile',
  access: 'read',
  names: 'narrowed',
  section: 'profile',
  summary: 'Profile of the attributes of items',
  request: jsonBody(object({ query: setOptions.query }), { required: false }),
  answers: {
    200: jsonAnswer(
      'What the items have in common',
      named(
        'ProfileResponse',
        object({
          items: described(count, 'The items that were read'),
          complete: described(truth, 'False if there are more: then these are a sample'),
          places: described(count, 'From how many places among the keys the items were read'),
          all_attributes: described(truth, 'False if there are more than 200 attributes'),
          attributes: list(AttributeProfile, { description: 'The most frequent first' }),
        }),
      ),
    ),
  },
  handle: async (call, { bases }: BaseServices) => {
    const query = await rereadableBodyOf(call, function* (body) {
      const read = yield* readCountBody(body, call.project);
      return { ...read, range: narrowedRange(call.grant, read.range) };
    });
    return jsonText(200, await bases.byQuery.profile(baseSpace(call.project, call.name), query, call));
  },
});
