import { integer } from '../../json/schema.js';
import type { JsonValue } from '../../json/value.js';
import { wholeOf } from '../requests/bodies/members.js';
import type { Call } from '../requests/call.js';
import { parameterOf } from './parameters.js';

/** Ten thousand years: no sum with the time of the service is too large for an engine. */
const maxSeconds = 10_000 * 365 * 24 * 3600;

const rule = `a whole number of seconds from 0 to ${maxSeconds}`;

export const secondsAhead = integer({
  minimum: 0,
  maximum: maxSeconds,
  description: 'Whole seconds from now on, by the clock of the service',
});

/**
 * Reads `expires_in` of a JSON body: for how many seconds from now on something is kept (docs/http.md#expiry). Throws a
 * 400 `RequestError`.
 */
export function readExpiresIn(value: JsonValue | undefined): number | undefined {
  return value === undefined ? undefined : wholeOf(value, 'expires_in', secondsAhead, rule);
}

/** Reads the parameter `expires_in`. An empty text means absent. Throws a 400 `RequestError`. */
export function expiresInOf(call: Call): number | undefined {
  return readExpiresIn(parameterOf(call, 'expires_in') || undefined);
}
