import { json } from '../../http/answers/answer.js';
import { inPath, jsonAnswer, operation } from '../../http/routing/operation.js';
import { object, text } from '../../json/schema.js';
import type { HookServices } from '../service.js';

export const deleteHook = operation({
  method: 'DELETE',
  path: '/v1/{project}/hooks/{hook}',
  access: 'full',
  names: 'narrowed',
  section: 'delete-webhook',
  summary: 'Delete a webhook',
  parameters: [inPath('hook', 'The id of the webhook')],
  answers: { 200: jsonAnswer('It sends nothing any more', object({ id: text })) },
  failures: [404],
  handle: async (call, { hooks }: HookServices) => {
    const id = call.params.hook ?? '';
    await hooks.delete(call.grant, id);
    return json(200, { id });
  },
});
