import { requireAccess } from '../../access/scope.js';
import { json } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { anyOf, object, optional } from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { allowedChange, readDeleteBody } from '../by-query/by-query-body.js';
import { claimAnswer, claimHeaders } from '../by-query/claim-answer.js';
import { askedOf } from '../request-body.js';
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
      { headers: claimHeaders },
    ),
  },
  handle: async (call, { bases }: BaseServices) => {
    const change = await askedOf(call, function* (body) {
      return allowedChange(call.grant, yield* readDeleteBody(body));
    });
    const { isAll, isDryRun } = await change.read();
    // Deleting every item is what Delete All Items does, so it needs the same access.
    if (isAll && !isDryRun) requireAccess(call.grant, 'full');
    const startedMs = performance.now();
    const result = await bases.byQuery.remove(baseSpace(call.project, call.name), change, call);
    const { changed, items, cost } = result;
    if (isDryRun) return json(200, { matched: changed });
    const answer = { deleted: changed };
    const isPlain = items === undefined && cost === undefined;
    return isPlain ? json(200, answer) : claimAnswer(answer, result, startedMs);
  },
});
