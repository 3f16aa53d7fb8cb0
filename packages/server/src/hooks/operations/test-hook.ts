import { json } from '../../http/answers/answer.js';
import { inPath, jsonAnswer, operation } from '../../http/routing/operation.js';
import { described, object, truth } from '../../json/schema.js';
import { isTaken } from '../hook.js';
import { outcomeMembers } from '../hook-details.js';
import type { HookServices } from '../service.js';

export const testHook = operation({
  method: 'POST',
  path: '/v1/{project}/hooks/{hook}/test',
  access: 'full',
  names: 'narrowed',
  section: 'test-webhook',
  summary: 'Send a message without changes',
  parameters: [inPath('hook', 'The id of the webhook')],
  answers: {
    200: jsonAnswer(
      'What became of it',
      object({ delivered: described(truth, 'Whether the status was 200 to 299'), ...outcomeMembers }),
    ),
  },
  failures: [404, 409],
  handle: async (call, { hooks }: HookServices) => {
    const { status, failure } = await hooks.test(call.grant, call.params.hook ?? '');
    return json(200, {
      delivered: isTaken({ status }),
      ...(status !== undefined && { status }),
      ...(failure !== undefined && { error: failure }),
    });
  },
});
