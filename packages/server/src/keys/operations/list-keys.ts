import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { list, object } from '../../json/schema.js';
import { KeyDetails } from '../key-details.js';
import type { KeyServices } from '../key-lists.js';

export const listKeys = operation({
  method: 'GET',
  path: '/v1/{project}/keys',
  access: 'no limit',
  summary: 'List keys',
  answers: { 200: jsonAnswer('The keys, the oldest first', object({ keys: list(KeyDetails) })) },
  handle: async (call, { keyLists }: KeyServices) => jsonText(200, await keyLists.textOf(call.project)),
});
