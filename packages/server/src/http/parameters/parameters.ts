import { only } from '../../json/schema.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import { badField } from '../../request-error.js';
import type { Call } from '../requests/call.js';
import { inQuery, required } from '../routing/operation.js';

/** Deletes everything, so it is asked for in words. */
export const allParameter = required(inQuery('all', 'Must be `true`', only('true')));

/** Throws a 400 `RequestError` unless the parameter is `true`: for operations that no other value may start. */
export function requireTrue(call: Call, parameter: string): void {
  if (call.query.get(parameter) !== 'true')
    throw badField(parameter, 'invalid_value', 'must be true or false');
}

/** A parameter as a JSON body would have it: digits are a number. Undefined if it is absent. */
export function parameterOf({ query }: Call, name: string): JsonValue | undefined {
  const text = query.get(name);
  return text !== undefined && /^\d+$/.test(text) ? new JsonNumber(text) : text;
}
