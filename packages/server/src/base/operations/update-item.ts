import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { runInSlices } from '../../lib/concurrency/time-slices.js';
import { itemNotFound } from '../items/item-errors.js';
import { keyOf, keyParameter } from '../items/key-parameter.js';
import { bodyOf } from '../request-body.js';
import { UpdatedItem, UpdateItemRequest } from '../schemas.js';
import type { BaseServices } from '../service.js';
import { withItem } from '../updates/returned.js';
import { updateAnswer } from '../updates/update.js';
import { readUpdateBody } from '../updates/update-body.js';

export const updateItem = operation({
  method: 'PATCH',
  path: '/v1/{project}/{base}/items/{key}',
  access: 'write',
  names: 'path',
  summary: 'Update an item',
  parameters: [keyParameter],
  request: jsonBody(UpdateItemRequest),
  answers: { 200: jsonAnswer('The key, and the update as it was sent', UpdatedItem) },
  failures: [404, 409, 412],
  handle: async (call, { bases }: BaseServices) => {
    const key = keyOf(call);
    const update = await bodyOf(call, (body) => readUpdateBody(body, bases.nowSeconds(), key));
    const updated = await bases.update(call.project, call.name, { key, update }, call);
    if (updated === undefined) throw itemNotFound();
    const answer = await runInSlices(updateAnswer(key, update));
    return jsonText(200, update.returns === undefined ? answer : withItem(answer, updated.item));
  },
});
