import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { refused } from '../../request-error.js';
import { ActivityResponse } from '../activity.js';
import type { CatalogServices } from '../service.js';

export const getActivity = operation({
  method: 'GET',
  path: '/v1/{project}/activity',
  access: 'no limit',
  section: 'activity',
  summary: 'The requests of the project in the last hour',
  answers: { 200: jsonAnswer('Their number and times, as this server counted them', ActivityResponse) },
  failures: [404],
  handle: ({ project }, { readActivity }: CatalogServices) => {
    if (readActivity === undefined)
      throw refused('not_counted', 'Metrics are off: the server was started without --metrics');
    return json(200, readActivity(project));
  },
});
