import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { object } from '../../json/schema.js';
import { readInsertBody } from '../items/item-body.js';
import { itemExists } from '../items/item-errors.js';
import { requireItemWithin } from '../items/item-scope.js';
import { bodyOf } from '../request-body.js';
import { expiresIn, NewItem, StoredItem } from '../schemas.js';
import type { BaseServices } from '../service.js';

export const insertItem = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/items',
  access: 'write',
  names: 'body',
  summary: 'Insert an item',
  description: 'Stores an item only if its key does not exist.',
  request: jsonBody(object({ item: NewItem, expires_in: expiresIn })),
  answers: { 201: jsonAnswer('The stored item', StoredItem) },
  failures: [409],
  handle: async (call, { bases }: BaseServices) => {
    const item = await bodyOf(call, (body) => readInsertBody(body, bases.nowSeconds()));
    requireItemWithin(call.grant, item);
    if (await bases.insert(call.project, call.name, item)) return jsonText(201, item.json);
    throw itemExists();
  },
});
