import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { ActivityDetails, ActivityResponse } from '../activity.js';
import type { CatalogServices } from '../service.js';

export const getActivity = operation({
  method: 'GET',
  path: '/v1/{project}/activity',
  access: 'no limit',
  section: 'activity',
  summary: 'The requests of the project in the last hour',
  answers: { 200: jsonAnswer('Their number and times, as this server counted them', ActivityResponse) },
  handle: ({ project }, { activity }: CatalogServices) => json(200, activity.of(project)),
});

export const getActivityDetails = operation({
  method: 'GET',
  path: '/v1/{project}/activity?details=true',
  access: 'no limit',
  section: 'activity-details',
  summary: 'The requests of the project one by one, and what it stores over time',
  answers: { 200: jsonAnswer('What this server knows of it', ActivityDetails) },
  handle: ({ project }, { activity }: CatalogServices) => json(200, activity.detailsOf(project)),
});
