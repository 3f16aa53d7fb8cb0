import { isWithin } from '../../access/scope.js';
import { isTimedId } from '../../drive/rows.js';
import { json } from '../../http/answers/answer.js';
import { inQuery, jsonAnswer, operation, required } from '../../http/routing/operation.js';
import { object, text } from '../../json/schema.js';
import { badField, refused } from '../../request-error.js';
import type { SharingServices } from '../services.js';

export const endLink = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/links',
  access: 'full',
  names: 'narrowed',
  summary: 'End a listed link',
  parameters: [required(inQuery('id', 'The id of the link'))],
  answers: { 200: jsonAnswer('It no longer works', object({ id: text })) },
  failures: [400, 404],
  handle: async (call, { listedLinks }: SharingServices) => {
    const id = call.query.get('id');
    if (id === undefined || id === '') throw badField('id', 'required', 'is required');
    const isAllowed = (name: string) => isWithin(call.grant, name);
    const isEnded = isTimedId(id) && (await listedLinks.end(call.project, call.name, id, isAllowed));
    if (!isEnded) throw refused('link_not_found', 'Link not found');
    return json(200, { id });
  },
});
