import { object, only } from '../../json/schema.js';
import { json } from '../answers/answer.js';
import { jsonAnswer, operation } from '../routing/operation.js';
import type { OperationGroups } from '../routing/operation-groups.js';
import type { Readiness } from './readiness.js';

/** What the operations of docs/http.md#health work with. */
export interface HealthServices {
  readonly readiness: Readiness;
}

const getHealth = operation({
  method: 'GET',
  path: '/health',
  access: 'no key',
  section: 'health',
  summary: 'Whether the process answers',
  answers: { 200: jsonAnswer('It answers', object({ status: only('ok') })) },
  handle: () => json(200, { status: 'ok' as const }),
});

const getReadiness = operation({
  method: 'GET',
  path: '/ready',
  access: 'no key',
  section: 'health',
  summary: 'Whether the storage engines answer, and rows can be written',
  answers: { 200: jsonAnswer('They answer', object({ status: only('ready') })) },
  failures: [503],
  handle: (_, { readiness }: HealthServices) => readiness(),
});

export const healthOperations: OperationGroups<HealthServices> = { Service: { getHealth, getReadiness } };
