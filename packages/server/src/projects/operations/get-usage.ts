import { json } from '../../http/answers/answer.js';
import { count, jsonAnswer, operation } from '../../http/routing/operation.js';
import { described, object, optional, text, truth } from '../../json/schema.js';
import { QuotaMembers, quotaMembersOf } from '../quota-body.js';
import type { ProjectServices } from '../service.js';

export const getUsage = operation({
  method: 'GET',
  path: '/admin/projects/{project}/usage',
  access: 'operator',
  summary: 'What a project has stored',
  answers: {
    200: jsonAnswer(
      'The sums of its bases and drives',
      object({
        name: text,
        items: count,
        item_bytes: described(count, 'Of the stored JSON of the items'),
        files: count,
        file_bytes: described(count, 'Of files, those in the trash, and the parts of open uploads'),
        trash_bytes: described(count, 'Of `file_bytes`: in the trash'),
        upload_bytes: described(count, 'Of `file_bytes`: the parts of open uploads'),
        quota: optional(object(QuotaMembers)),
        exact: described(truth, 'false: a base was counted earlier, or not yet'),
      }),
    ),
  },
  failures: [404, 410],
  handle: async ({ params: { project = '' } }, { projects }: ProjectServices) => {
    const { items, itemBytes, files, fileBytes, trashBytes, uploadBytes, exact } =
      await projects.usage(project);
    const quota = projects.quotaOf(project);
    return json(200, {
      name: project,
      items,
      item_bytes: itemBytes,
      files,
      file_bytes: fileBytes,
      trash_bytes: trashBytes,
      upload_bytes: uploadBytes,
      ...(quota && { quota: quotaMembersOf(quota) }),
      exact,
    });
  },
});
