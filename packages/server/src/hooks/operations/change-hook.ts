import { jsonText } from '../../http/answers/answer.js';
import { readJsonBody } from '../../http/requests/bodies/json-body.js';
import { inPath, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { nowSeconds } from '../../lib/clock.js';
import { ChangeHookRequest, maxHookBodyBytes, readHookChange } from '../hook-body.js';
import { detailsText, HookDetails } from '../hook-details.js';
import type { HookServices } from '../service.js';

export const changeHook = operation({
  method: 'PATCH',
  path: '/v1/{project}/hooks/{hook}',
  access: 'full',
  names: 'narrowed',
  section: 'change-webhook',
  summary: 'Change, pause or resume a webhook',
  parameters: [inPath('hook', 'The id of the webhook')],
  request: jsonBody(ChangeHookRequest),
  answers: { 200: jsonAnswer('The webhook as it is now', HookDetails) },
  failures: [404, 410],
  handle: async (call, { hooks, clock }: HookServices) => {
    const change = readHookChange(await readJsonBody(call, maxHookBodyBytes), hooks.mayReach);
    const hook = await hooks.change(call.grant, call.params.hook ?? '', change);
    return jsonText(200, detailsText(hook, hooks.isKeyValid(hook), nowSeconds(clock)));
  },
});
