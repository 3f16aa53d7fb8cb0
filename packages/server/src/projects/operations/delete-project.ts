import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { object, text } from '../../json/schema.js';
import type { ProjectServices } from '../service.js';

export const deleteProject = operation({
  method: 'DELETE',
  path: '/admin/projects/{project}',
  access: 'operator',
  summary: 'Delete a project with all that it has',
  answers: {
    202: jsonAnswer('From now on nobody can use it; it is deleted in the background', object({ name: text })),
  },
  failures: [404],
  handle: async ({ params: { project = '' } }, { projects }: ProjectServices) => {
    await projects.delete(project);
    return json(202, { name: project });
  },
});
