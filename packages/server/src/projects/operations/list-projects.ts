import { json } from '../../http/answers/answer.js';
import {
  Paging,
  pageParameters,
  pagingOf,
  prefixParameter,
  readLimit,
  readNamePart,
} from '../../http/parameters/paging.js';
import { jsonAnswer, operation, seconds } from '../../http/routing/operation.js';
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
  method: 'GET',
  path: '/admin/projects',
  access: 'operator',
  summary: 'List projects',
  parameters: [...pageParameters, prefixParameter],
  answers: {
    200: jsonAnswer(
      'A page of projects',
      object({ paging: optional(Paging), projects: list(ProjectDetails) }),
    ),
  },
  failures: [400],
  handle: async (call, { projects: service }: ProjectServices) => {
    const query = {
      limit: readLimit(call),
      prefix: readNamePart(call, 'prefix'),
      last: readNamePart(call, 'last'),
    };
    const { projects, more } = await service.list(query);
    const names = projects.map(({ name }) => name);
    const details = projects.map(({ name, createdSeconds, isDeleted }) => ({
      name,
      ...(createdSeconds !== undefined && { created: createdSeconds }),
      ...(isDeleted && { deleting: true }),
    }));
    return json(200, { ...pagingOf(names, more), projects: details });
  },
});
