import type { Call } from '../http/call.js';
import { inPath } from '../http/operation.js';
import { badRequest } from '../request-error.js';
import { keyProblem } from './key.js';

export const keyParameter = inPath('key', 'The key of the item');

/** The key in the path. Throws a 400 `RequestError` for one that no item can have (docs/http.md#get-item). */
export function keyOf({ params: { key = '' } }: Call): string {
  const rule = keyProblem(key);
  if (rule !== undefined) throw badRequest(`key: ${rule}`);
  return key;
}
