import { narrowedRange, requireAccess } from '../../access/scope.js';
import { json, jsonText } from '../../http/answers/answer.js';
import type { RereadableBody } from '../../http/requests/bodies/rereadable-body.js';
import type { Call } from '../../http/requests/call.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { problemMembers } from '../../http/routing/problems.js';
import {
  anyOf,
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
import {
  allowedChange,
  readCountBody,
  readDeleteBody,
  readUpdateByQueryBody,
} from '../by-query/by-query-body.js';
import { maxReported } from '../by-query/change-matches.js';
import { withItems } from '../by-query/returned-matches.js';
import type { Criteria } from '../query/query-body.js';
import { rereadableBodyOf } from '../request-body.js';
import {
  claimOptions,
  Matched,
  returnedList,
  returnsDeleted,
  returnsUpdated,
  setOptions,
  updateMembers,
} from '../schemas.js';
import type { BaseServices } from '../service.js';

/** What operations have in common that only read the items that match. */
const reading = {
  method: 'POST',
  access: 'read',
  names: 'narrowed',
  request: jsonBody(object({ query: setOptions.query }), { required: false }),
} as const;

/** The query of the request, of what the key's prefix allows. */
function criteriaOf(call: Call): Promise<RereadableBody<Criteria>> {
  return rereadableBodyOf(call, function* (body) {
    const read = yield* readCountBody(body, call.project);
    return { ...read, range: narrowedRange(call.grant, read.range) };
  });
}

export const countItems = operation({
  ...reading,
  path: '/v1/{project}/{base}/query/count',
  summary: 'Count items',
  answers: { 200: jsonAnswer('The number of items', object({ count })) },
  handle: async (call, { bases }: BaseServices) => {
    const query = await criteriaOf(call);
    return json(200, { count: await bases.byQuery.count(baseSpace(call.project, call.name), query, call) });
  },
});

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
  ...reading,
  path: '/v1/{project}/{base}/query/profile',
  section: 'profile',
  summary: 'Profile of the attributes of items',
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
    const query = await criteriaOf(call);
    return jsonText(200, await bases.byQuery.profile(baseSpace(call.project, call.name), query, call));
  },
});

export const deleteByQuery = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/query/delete',
  access: 'write',
  names: 'narrowed',
  summary: 'Delete items by query',
  request: jsonBody(object({ ...setOptions, ...claimOptions, return: returnsDeleted })),
  answers: {
    200: jsonAnswer(
      'How many were deleted, or match',
      anyOf(object({ deleted: count, items: optional(returnedList) }), Matched),
    ),
  },
  handle: async (call, { bases }: BaseServices) => {
    const change = await rereadableBodyOf(call, function* (body) {
      return allowedChange(call.grant, yield* readDeleteBody(body));
    });
    const { isAll, isDryRun } = await change.read();
    // Deleting every item is what Delete All Items does, so it needs the same access.
    if (isAll && !isDryRun) requireAccess(call.grant, 'full');
    const { changed, items } = await bases.byQuery.remove(baseSpace(call.project, call.name), change, call);
    if (isDryRun) return json(200, { matched: changed });
    const answer = { deleted: changed };
    return items === undefined ? json(200, answer) : jsonText(200, withItems(answer, items));
  },
});

const Failed = list(object({ key: text, ...problemMembers }), {
  maxItems: maxReported,
  description: 'The first of the items that match, but to which the update could not be applied',
});

export const updateByQuery = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/query/update',
  access: 'write',
  names: 'narrowed',
  summary: 'Update items by query',
  request: jsonBody(object({ ...setOptions, ...claimOptions, return: returnsUpdated, ...updateMembers })),
  answers: {
    200: jsonAnswer(
      'How many were updated, or match',
      anyOf(
        object({ updated: count, failed: Failed, failed_count: count, items: optional(returnedList) }),
        Matched,
      ),
    ),
  },
  handle: async (call, { bases }: BaseServices) => {
    const nowSeconds = bases.nowSeconds();
    const update = await rereadableBodyOf(call, function* (body) {
      const read = yield* readUpdateByQueryBody(body, nowSeconds);
      return { ...read, change: allowedChange(call.grant, read.change) };
    });
    const { isDryRun } = (await update.read()).change;
    const result = await bases.byQuery.update(baseSpace(call.project, call.name), update, call);
    const { changed, failed, failedCount, items } = result;
    if (isDryRun) return json(200, { matched: changed });
    const answer = { updated: changed, failed, failed_count: failedCount };
    return items === undefined ? json(200, answer) : jsonText(200, withItems(answer, items));
  },
});
