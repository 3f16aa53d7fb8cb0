import { jsonText } from '../../http/answers/answer.js';
import { readJsonBody } from '../../http/requests/bodies/json-body.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { described, object, text } from '../../json/schema.js';
import { nowSeconds } from '../../lib/clock.js';
import { forbidden } from '../../request-error.js';
import { CreateHookRequest, maxHookBodyBytes, readNewHook } from '../hook-body.js';
import { detailsText, hookDetails } from '../hook-details.js';
import { secretText } from '../message.js';
import type { HookServices } from '../service.js';

export const createHook = operation({
  method: 'POST',
  path: '/v1/{project}/hooks',
  access: 'full',
  names: 'narrowed',
  section: 'create-webhook',
  summary: 'Create a webhook',
  request: jsonBody(CreateHookRequest),
  answers: {
    201: jsonAnswer(
      'The webhook, with its secret, which no other answer has',
      object({ ...hookDetails, secret: described(text, 'What messages are signed with: `whsec_…`') }),
    ),
  },
  failures: [404, 409, 410],
  handle: async (call, { hooks, clock }: HookServices) => {
    if (call.grant.isSigned) throw forbidden('limited_key', 'a key that is not stored makes no webhooks');
    const wanted = readNewHook(await readJsonBody(call, maxHookBodyBytes), hooks.mayReach);
    const { hook, secret } = await hooks.create(call.grant, wanted);
    return jsonText(201, detailsText(hook, true, nowSeconds(clock), { secret: secretText(secret) }));
  },
});
