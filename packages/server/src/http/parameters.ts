import { only } from '../json/schema.js';
import { badRequest } from '../request-error.js';
import type { Call } from './call.js';
import { inQuery, required } from './operation.js';

/** Deletes everything, so it is asked for in words. */
export const allParameter = required(inQuery('all', 'Must be `true`', only('true')));

/** Throws a 400 `RequestError` unless the parameter is `true`: for operations that no other value may start. */
export function requireTrue(call: Call, parameter: string): void {
  if (call.query.get(parameter) !== 'true') throw badRequest(`${parameter}: must be true or false`);
}

/** A parameter that is a whole number; undefined for anything else. */
export function readWhole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
