import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { named } from '../../json/schema.js';
import type { ProjectServices } from '../service.js';
import { UsageResponse, usageMembersOf } from '../usage-members.js';

export const getProjectStatistics = operation({
  method: 'GET',
  path: '/v1/{project}/stats',
  access: 'no limit',
  section: 'statistics-of-a-project',
  summary: 'What the project has stored, and its quota',
  answers: {
    200: jsonAnswer('The sums of its bases and drives', named('ProjectStatsResponse', UsageResponse)),
  },
  handle: async (call, { projects }: ProjectServices) => {
    const { project } = call;
    const usage = await projects.usageOfOwn(project, () => call.isAbandoned);
    return json(200, usageMembersOf(project, usage, projects.quotaOf(project)));
  },
});
