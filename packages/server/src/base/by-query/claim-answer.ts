import { jsonText } from '../../http/answers/answer.js';
import type { Answer } from '../../http/requests/call.js';
import { text } from '../../json/schema.js';
import { timing } from '../pages/timing.js';
import type { ByQueryResult } from './change-matches.js';

export const claimHeaders = {
  'Server-Timing': { description: 'With `order`: what was read, and which index was used', schema: text },
};

/** The answer of an operation by query, with the items that it gives back, and what it has read in an order. */
export function claimAnswer(
  answer: object,
  { items, cost }: ByQueryResult,
  startedMs: number,
): Answer<200, never> {
  const json = JSON.stringify(answer);
  const body = items === undefined ? json : items.finish(`${json.slice(0, -1)},"items":[`, ']}');
  const answered = jsonText(200, body);
  if (cost === undefined) return answered;
  return { ...answered, headers: [...answered.headers, 'Server-Timing', timing(cost, startedMs)] };
}
