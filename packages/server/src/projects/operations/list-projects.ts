import { json } from '../../http/answers/answer.js';
import { namesPage, pageAnswer, pagingOf, readNamesPage } from '../../http/parameters/paging.js';
import { operation, seconds } from '../../http/routing/operation.js';
import { described, list, named, object, optional, text, truth } from '../../json/schema.js';
import type { ProjectServices } from '../service.js';

const ProjectDetails = named(
  'ProjectDetails',
  object({
    name: text,
    created: optional(seconds),
    deleting: optional(described(truth, 'true: it is being deleted')),
  }),
);

export const listProjects = operation({
  ...namesPage,
  method: 'GET',
  path: '/admin/projects',
  access: 'operator',
  summary: 'List projects',
  answers: { 200: pageAnswer('A page of projects', { projects: list(ProjectDetails) }) },
  handle: async (call, { projects: service }: ProjectServices) => {
    const { projects, more } = await service.list(readNamesPage(call));
    const names = projects.map(({ name }) => name);
    const details = projects.map(({ name, createdSeconds, isDeleted }) => ({
      name,
      ...(createdSeconds !== undefined && { created: createdSeconds }),
      ...(isDeleted && { deleting: true }),
    }));
    return json(200, { ...pagingOf(names, more), projects: details });
  },
});
