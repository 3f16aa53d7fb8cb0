import { json } from '../../http/answers/answer.js';
import { readJsonBody } from '../../http/requests/bodies/json-body.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { object, text } from '../../json/schema.js';
import { maxQuotaBodyBytes, QuotaMembers, QuotaRequest, quotaMembersOf, readQuota } from '../quota-body.js';
import type { ProjectServices } from '../service.js';

export const setQuota = operation({
  method: 'PUT',
  path: '/admin/projects/{project}/quota',
  access: 'operator',
  summary: 'Limit what a project may store, and its requests',
  request: jsonBody(QuotaRequest),
  answers: {
    200: jsonAnswer('The quota, which replaces the one before', object({ name: text, ...QuotaMembers })),
  },
  failures: [404, 409, 410],
  handle: async (call, { projects }: ProjectServices) => {
    const { project = '' } = call.params;
    const quota = await call.run(readQuota(await readJsonBody(call, maxQuotaBodyBytes)));
    await projects.setQuota(project, quota);
    return json(200, { name: project, ...quotaMembersOf(quota) });
  },
});
