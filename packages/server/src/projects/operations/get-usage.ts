import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import type { ProjectServices } from '../service.js';
import { UsageResponse, usageMembersOf } from '../usage-members.js';

export const getUsage = operation({
  method: 'GET',
  path: '/admin/projects/{project}/usage',
  access: 'operator',
  summary: 'What a project has stored',
  answers: { 200: jsonAnswer('The sums of its bases and drives', UsageResponse) },
  failures: [404, 410],
  handle: async (call, { projects }: ProjectServices) => {
    const { project = '' } = call.params;
    const usage = await projects.usage(project, () => call.isAbandoned);
    return json(200, usageMembersOf(project, usage, projects.quotaOf(project)));
  },
});
