import { json, jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { onceReady } from '../../lib/concurrency/once-ready.js';
import { keyOf, keyParameter } from '../items/key-parameter.js';
import { MissingItem, StoredItem } from '../schemas.js';
import type { BaseServices } from '../service.js';

export const getItem = operation({
  method: 'GET',
  path: '/v1/{project}/{base}/items/{key}',
  access: 'read',
  names: 'path',
  summary: 'Get an item',
  parameters: [keyParameter],
  answers: {
    200: jsonAnswer('The item', StoredItem),
    404: jsonAnswer('There is no such item', MissingItem),
  },
  failures: [400],
  handle: (call, { bases }: BaseServices) => {
    const key = keyOf(call);
    const answer = (item: Buffer | undefined) =>
      item === undefined ? json(404, { key }) : jsonText(200, item);
    const item = bases.get(call.project, call.name, key);
    return onceReady(item, answer);
  },
});
