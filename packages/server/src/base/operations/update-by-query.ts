import { json, jsonText } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { problemMembers } from '../../http/routing/problems.js';
import { anyOf, list, object, optional, text } from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { allowedChange, readUpdateByQueryBody } from '../by-query/by-query-body.js';
import { maxReported } from '../by-query/change-matches.js';
import { withItems } from '../by-query/returned-matches.js';
import { rereadableBodyOf } from '../request-body.js';
import {
  claimOptions,
  Matched,
  returnedList,
  returnsUpdated,
  setOptions,
  updateMembers,
} from '../schemas.js';
import type { BaseServices } from '../service.js';

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
