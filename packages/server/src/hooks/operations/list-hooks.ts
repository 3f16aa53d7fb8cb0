import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { list, object } from '../../json/schema.js';
import { nowSeconds } from '../../lib/clock.js';
import { detailsOf, HookDetails } from '../hook-details.js';
import type { HookServices } from '../service.js';

export const listHooks = operation({
  method: 'GET',
  path: '/v1/{project}/hooks',
  access: 'full',
  names: 'narrowed',
  section: 'list-webhooks',
  summary: 'List webhooks',
  answers: { 200: jsonAnswer('The webhooks, the oldest first', object({ hooks: list(HookDetails) })) },
  handle: async (call, { hooks, clock }: HookServices) => {
    const found = await hooks.list(call.grant);
    const now = nowSeconds(clock);
    return json(200, { hooks: found.map((hook) => detailsOf(hook, hooks.isKeyValid(hook), now)) });
  },
});
