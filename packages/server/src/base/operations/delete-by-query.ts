import { requireAccess } from '../../access/scope.js';
import { json } from '../../http/answers/answer.js';
import { DeletedAll, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { anyOf, object } from '../../json/schema.js';
import { baseSpace } from '../../spaces.js';
import { allowedChange, readDeleteBody } from '../by-query/by-query-body.js';
import { askedOf } from '../request-body.js';
import { Matched, setOptions } from '../schemas.js';
import type { BaseServices } from '../service.js';

export const deleteByQuery = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/query/delete',
  access: 'write',
  names: 'narrowed',
  summary: 'Delete items by query',
  request: jsonBody(object(setOptions)),
  answers: { 200: jsonAnswer('How many were deleted, or match', anyOf(DeletedAll, Matched)) },
  handle: async (call, { bases }: BaseServices) => {
    const change = await askedOf(call, function* (body) {
      return allowedChange(call.grant, yield* readDeleteBody(body));
    });
    const { isAll, isDryRun } = await change.read();
    // Deleting every item is what Delete All Items does, so it needs the same access.
    if (isAll && !isDryRun) requireAccess(call.grant, 'full');
    const { changed } = await bases.byQuery.remove(baseSpace(call.project, call.name), change, call);
    return isDryRun ? json(200, { matched: changed }) : json(200, { deleted: changed });
  },
});
