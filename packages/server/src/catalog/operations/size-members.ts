import { count } from '../../http/routing/operation.js';
import { described, optional, truth } from '../../json/schema.js';
import type { Size } from '../count.js';

/** What an answer says of how good its numbers are. */
export const exactness = {
  exact: described(truth, 'Whether the numbers are those of now'),
  as_of: optional(described(count, 'If not: when they were counted, in seconds since 1970 UTC')),
};

/** The members of an answer that say a size. `rows` is what they call its rows. */
export function sizeMembers<Rows extends 'items' | 'files'>(
  { rows, bytes, exact, asOfSeconds }: Size,
  name: Rows,
): { readonly [Name in Rows]?: number } & { bytes?: number; exact: boolean; as_of?: number } {
  return {
    ...(rows !== undefined && { [name]: rows, bytes }),
    exact,
    ...(asOfSeconds !== undefined && { as_of: asOfSeconds }),
  } as { readonly [Name in Rows]?: number } & { bytes?: number; exact: boolean; as_of?: number };
}
