import { badRequest } from '../request-error.js';
import type { Call } from './call.js';

/** Throws a 400 `RequestError` unless the parameter is `true`: for operations that no other value may start. */
export function requireTrue(call: Call, parameter: string): void {
  if (call.query.get(parameter) !== 'true') throw badRequest(`${parameter}: must be true or false`);
}

/** The parameter `limit`: 1 or more; a larger or absent one counts as `most`. Throws a 400 `RequestError`. */
export function readLimit(call: Call, most: number): number {
  const text = call.query.get('limit');
  if (text === undefined) return most;
  const limit = readWhole(text);
  if (limit === undefined || limit < 1) throw badRequest('limit: must be an integer of 1 or more');
  return Math.min(limit, most);
}

export function readWhole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
