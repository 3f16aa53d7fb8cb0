import type { Call } from '../../http/requests/call.js';
import { inPath } from '../../http/routing/operation.js';
import { badField } from '../../request-error.js';
import { keyProblem } from './key.js';

export const keyParameter = inPath('key', 'The key of the item');

/** The key in the path. Throws a 400 `RequestError` for one that no item can have (docs/http.md#get-item). */
export function keyOf({ params: { key = '' } }: Call): string {
  const problem = keyProblem(key);
  if (problem !== undefined) throw badField('key', problem.code, problem.rule);
  return key;
}
