import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { list, object } from '../../json/schema.js';
import { onceReady } from '../../lib/concurrency/once-ready.js';
import type { Item } from '../items/item.js';
import { readPutBody } from '../items/item-body.js';
import { requireItemWithin } from '../items/item-scope.js';
import { bodyOf } from '../request-body.js';
import { expiresIn, NewItem, StoredItem } from '../schemas.js';
import type { BaseServices } from '../service.js';

export const putItems = operation({
  method: 'PUT',
  path: '/v1/{project}/{base}/items',
  access: 'write',
  names: 'body',
  summary: 'Put items',
  failures: [409],
  description: 'Stores items and replaces those with the same keys: all or none.',
  request: jsonBody(
    object({
      items: list(NewItem, { minItems: 1, description: 'At most 25, unless the operator allows more' }),
      expires_in: expiresIn,
    }),
  ),
  answers: {
    207: jsonAnswer(
      'The stored items, in the order of the request',
      object({ processed: object({ items: list(StoredItem) }) }),
    ),
  },
  handle: (call, { bases, maxItemsPerPut }: BaseServices) => {
    const read = bodyOf(call, (body) => readPutBody(body, maxItemsPerPut, bases.nowSeconds()));
    return onceReady(read, (items) => {
      for (const item of items) requireItemWithin(call.grant, item);
      return bases.put(call.project, call.name, items).then(() => jsonText(207, processedBody(items)));
    });
  },
});

const processedStart = Buffer.from('{"processed":{"items":[');
const processedEnd = Buffer.from(']}}');
const comma = Buffer.from(',');

/** The stored items are joined without being parsed. */
function processedBody(items: readonly Item[]): Buffer {
  const parts: Buffer[] = [processedStart];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(comma);
    parts.push(item.json);
  }
  parts.push(processedEnd);
  return Buffer.concat(parts);
}
