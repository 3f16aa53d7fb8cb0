import { requireAccess } from '../../access/scope.js';
import { json, jsonText } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { anyOf, object, optional } from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { allowedChange, readDeleteBody } from '../by-query/by-query-body.js';
import { withItems } from '../by-query/returned-matches.js';
import { rereadableBodyOf } from '../request-body.js';
import { claimOptions, Matched, returnedList, returnsDeleted, setOptions } from '../schemas.js';
import type { BaseServices } from '../service.js';

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
