import { type NameSet, nameSet } from '../access/name-set.js';
import { readQueryBody } from '../base/query/query-body.js';
import type { Call } from '../http/requests/call.js';
import type { QueryString } from '../http/requests/query-string.js';
import { inQuery } from '../http/routing/operation.js';
import { integer } from '../json/schema.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { badField } from '../request-error.js';
import type { ItemQuery, RequestedSelection } from './selection.js';

/** The most changes in an answer of JSON. It is also the number if a request says none. */
const maxChanges = 1000;
const maxWaitSeconds = 60;

export const changesParameters = [
  inQuery(
    'since',
    'The cursor of an earlier answer. Absent: from now on. `0`: first everything that is there',
  ),
  inQuery('bases', 'Names of bases, separated by commas or repeated; `*` at the end: all that begin so'),
  inQuery('drives', 'The same of drives'),
  inQuery('prefix', 'Only keys and names of files that begin with this'),
  inQuery('query', 'A query as in Query Items, as JSON: of items that do not match comes `delete`'),
  inQuery('values', '`false`: items without their values'),
  inQuery('limit', 'How many changes at most; only for JSON', integer({ minimum: 1, default: maxChanges })),
  inQuery(
    'wait',
    'How many seconds to wait for the first change; only for JSON',
    integer({ minimum: 0, maximum: maxWaitSeconds, default: 0 }),
  ),
];

/** Reads which changes a request asks for. Throws a 400 `RequestError`. */
export function* readSelection(query: Pick<QueryString, 'get'>): Steps<RequestedSelection> {
  return {
    bases: yield* namesOf(query.get('bases')),
    drives: yield* namesOf(query.get('drives')),
    prefix: query.get('prefix') ?? '',
    query: yield* queryOf(query.get('query')),
    values: truthOf('values', query.get('values')),
  };
}

/** The parameters of a URL, in which names may be separated by commas or repeated. */
export function withRepeatedNames(query: QueryString): Pick<QueryString, 'get'> {
  const isNames = (name: string) => name === 'bases' || name === 'drives';
  return { get: (name) => (isNames(name) ? joined(query.all(name)) : query.get(name)) };
}

function joined(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(',');
}

export function readLimit({ query }: Call): number {
  return Math.min(wholeNumber('limit', query.get('limit'), 1) ?? maxChanges, maxChanges);
}

export function readWaitMs({ query }: Call): number {
  const seconds = wholeNumber('wait', query.get('wait'), 0) ?? 0;
  if (seconds > maxWaitSeconds) throw badField('wait', 'out_of_range', `must be at most ${maxWaitSeconds}`);
  return seconds * 1000;
}

/** What a name takes in memory, with its entries in the set of requested names and in that of allowed ones. */
const nameBytes = 256;
const fewNames = 16;

function* namesOf(given: string | undefined): Steps<NameSet | undefined> {
  if (given === undefined) return undefined;
  const names = given.split(',').filter((name) => name !== '');
  if (names.length > fewNames) yield names.length * nameBytes;
  return nameSet(names);
}

function* queryOf(given: string | undefined): Steps<ItemQuery | undefined> {
  if (given === undefined || given === '') return undefined;
  try {
    JSON.parse(given);
  } catch {
    throw badField('query', 'invalid_json', 'must be JSON');
  }
  const { range, filter, conditions } = yield* readQueryBody(Buffer.from(`{"query":${given}}`));
  return { range, filter, conditions };
}

function truthOf(name: string, given: string | undefined): boolean {
  if (given === undefined || given === 'true') return true;
  if (given === 'false') return false;
  throw badField(name, 'invalid_value', 'must be true or false');
}

function wholeNumber(name: string, given: string | undefined, minimum: number): number | undefined {
  if (given === undefined) return undefined;
  const isNumber = /^\d{1,9}$/.test(given);
  if (isNumber && Number(given) >= minimum) return Number(given);
  throw badField(name, isNumber ? 'out_of_range' : 'wrong_type', `must be an integer of ${minimum} or more`);
}
