import { integer, type Members, named, object, optional, text } from '../../json/schema.js';
import { hasControlCharacter } from '../../lib/text/control-characters.js';
import { badField } from '../../request-error.js';
import type { Call } from '../requests/call.js';
import { count, inQuery, jsonAnswer } from '../routing/operation.js';

/** What the lists have in common that are read page by page (docs/http.md#list-files). */

/** The maximum number of names in a page. */
const maxListed = 1000;

export const pageParameters = [
  inQuery(
    'limit',
    `How many at most; a larger number means ${maxListed}`,
    integer({ minimum: 1, default: maxListed }),
  ),
  inQuery('last', 'Continue after this one: `paging.last` of the page before'),
];

const prefixParameter = inQuery('prefix', 'Only names that begin with this');

/** What operations with a page of names, or of what has names, have in common. */
export const namesPage = { parameters: [...pageParameters, prefixParameter], failures: [400] } as const;

const Paging = named('Paging', object({ size: count, last: text }));

/** An answer with one page of a list. */
export function pageAnswer<const M extends Members>(description: string, members: M) {
  return jsonAnswer(description, object({ paging: optional(Paging), ...members }));
}

/** Reads the parameters of `namesPage`. */
export function readNamesPage(call: Call) {
  return {
    limit: readLimit(call),
    prefix: readNamePart(call, 'prefix'),
    last: readNamePart(call, 'last'),
  };
}

/** The parameter `limit`: 1 or more; a larger or absent one counts as 1000. Throws a 400 `RequestError`. */
export function readLimit({ query }: Call): number {
  const given = query.get('limit');
  if (given === undefined) return maxListed;
  const isNumber = /^\d+$/.test(given);
  if (isNumber && Number(given) >= 1) return Math.min(Number(given), maxListed);
  throw badField('limit', isNumber ? 'out_of_range' : 'wrong_type', 'must be an integer of 1 or more');
}

/** Reads `prefix`, `last` or `contains`: any text that can be part of a name. An absent parameter is empty. */
export function readNamePart({ query }: Call, parameter: 'prefix' | 'last' | 'contains'): string {
  const given = query.get(parameter) ?? '';
  if (hasControlCharacter(given))
    throw badField(parameter, 'invalid_text', 'must not hold control characters');
  return given;
}

/** `paging` is present only if more names follow. */
export function pagingOf(
  names: readonly string[],
  more: boolean,
): { readonly paging?: { readonly size: number; readonly last: string } } {
  const last = names.at(-1);
  return more && last !== undefined ? { paging: { size: names.length, last } } : {};
}
