import { integer } from '../json/schema.js';
import { JsonNumber, type JsonValue } from '../json/value.js';
import { badRequest } from '../request-error.js';
import type { Call } from './call.js';
import { readWhole } from './parameters.js';

/** Ten thousand years: no sum with the time of the service is too large for an engine. */
const maxSeconds = 10_000 * 365 * 24 * 3600;

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
  if (value === undefined) return undefined;
  return checked(value instanceof JsonNumber ? Number(value.text) : undefined);
}

/** Reads the parameter `expires_in`. An empty text means absent. Throws a 400 `RequestError`. */
export function expiresInOf({ query }: Call): number | undefined {
  const text = query.get('expires_in');
  return text === undefined || text === '' ? undefined : checked(readWhole(text));
}

function checked(seconds: number | undefined): number {
  if (seconds !== undefined && Number.isInteger(seconds) && seconds >= 0 && seconds <= maxSeconds)
    return seconds;
  throw badRequest(`expires_in: must be a whole number of seconds from 0 to ${maxSeconds}`);
}
