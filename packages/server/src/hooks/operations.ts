import { json, jsonText } from '../http/answers/answer.js';
import { readJsonBody } from '../http/requests/bodies/json-body.js';
import { inPath, jsonAnswer, jsonBody, operation } from '../http/routing/operation.js';
import type { OperationGroups } from '../http/routing/operation-groups.js';
import { described, list, object, text, truth } from '../json/schema.js';
import { nowSeconds } from '../lib/clock.js';
import { forbidden } from '../request-error.js';
import { isTaken } from './hook.js';
import {
  ChangeHookRequest,
  CreateHookRequest,
  maxHookBodyBytes,
  readHookChange,
  readNewHook,
} from './hook-body.js';
import { detailsText, HookDetails, hookDetails, outcomeMembers } from './hook-details.js';
import { secretText } from './message.js';
import type { HookServices } from './service.js';

const ofHooks = { access: 'full', names: 'narrowed' } as const;
const hookParameter = inPath('hook', 'The id of the webhook');

const createHook = operation({
  ...ofHooks,
  method: 'POST',
  path: '/v1/{project}/hooks',
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

const listHooks = operation({
  ...ofHooks,
  method: 'GET',
  path: '/v1/{project}/hooks',
  section: 'list-webhooks',
  summary: 'List webhooks',
  answers: { 200: jsonAnswer('The webhooks, the oldest first', object({ hooks: list(HookDetails) })) },
  handle: async (call, { hooks, clock }: HookServices) => {
    const found = await hooks.list(call.grant);
    const now = nowSeconds(clock);
    const texts = found.map((hook) => detailsText(hook, hooks.isKeyValid(hook), now));
    return jsonText(200, `{"hooks":[${texts.join(',')}]}`);
  },
});

const changeHook = operation({
  ...ofHooks,
  method: 'PATCH',
  path: '/v1/{project}/hooks/{hook}',
  section: 'change-webhook',
  summary: 'Change, pause or resume a webhook',
  parameters: [hookParameter],
  request: jsonBody(ChangeHookRequest),
  answers: { 200: jsonAnswer('The webhook as it is now', HookDetails) },
  failures: [404, 410],
  handle: async (call, { hooks, clock }: HookServices) => {
    const change = readHookChange(await readJsonBody(call, maxHookBodyBytes), hooks.mayReach);
    const hook = await hooks.change(call.grant, call.params.hook ?? '', change);
    return jsonText(200, detailsText(hook, hooks.isKeyValid(hook), nowSeconds(clock)));
  },
});

const deleteHook = operation({
  ...ofHooks,
  method: 'DELETE',
  path: '/v1/{project}/hooks/{hook}',
  section: 'delete-webhook',
  summary: 'Delete a webhook',
  parameters: [hookParameter],
  answers: { 200: jsonAnswer('It sends nothing any more', object({ id: text })) },
  failures: [404],
  handle: async (call, { hooks }: HookServices) => {
    const id = call.params.hook ?? '';
    await hooks.delete(call.grant, id);
    return json(200, { id });
  },
});

const testHook = operation({
  ...ofHooks,
  method: 'POST',
  path: '/v1/{project}/hooks/{hook}/test',
  section: 'test-webhook',
  summary: 'Send a message without changes',
  parameters: [hookParameter],
  answers: {
    200: jsonAnswer(
      'What became of it',
      object({ delivered: described(truth, 'Whether the status was 200 to 299'), ...outcomeMembers }),
    ),
  },
  failures: [404, 409],
  handle: async (call, { hooks }: HookServices) => {
    const { status, failure } = await hooks.test(call.grant, call.params.hook ?? '');
    return json(200, { delivered: isTaken({ status }), status, error: failure });
  },
});

/** The operations of docs/http.md#webhooks. */
export const hookOperations: OperationGroups<HookServices> = {
  Webhooks: { createHook, listHooks, changeHook, deleteHook, testHook },
};
