import { oneOf } from '../../json/schema.js';
import { badField } from '../../request-error.js';
import type { Call } from '../requests/call.js';

/** The schema of a parameter that is `true` or `false`. */
export const booleanText = oneOf('true', 'false', '');

/** Reads a parameter that is `true` or `false`; gives `absent` if it is absent or empty. */
export function readBoolean(call: Call, parameter: string, absent: boolean): boolean {
  const text = call.query.get(parameter);
  if (text === undefined || text === '') return absent;
  if (text === 'true' || text === 'false') return text === 'true';
  throw badField(parameter, 'invalid_value', 'must be true or false');
}
