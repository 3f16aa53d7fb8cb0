import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { list, object } from '../../json/schema.js';
import { nowSeconds } from '../../lib/clock.js';
import { detailsText, HookDetails } from '../hook-details.js';
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
    const texts = found.map((hook) => detailsText(hook, hooks.isKeyValid(hook), now));
    return jsonText(200, `{"hooks":[${texts.join(',')}]}`);
  },
});
