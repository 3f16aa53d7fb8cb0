import type { ScanRange } from '../../engines/item-store.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import { badQuery, badRequest } from '../../request-error.js';
import { parseBody } from '../item.js';
import { maxBodyDepth } from '../limits.js';
import { readCondition } from './condition.js';
import { isOnKey, keyRangeOf } from './key-range.js';
import { type Predicate, predicateOf } from './predicate.js';

export interface Query {
  /** The keys that are read at all: the conditions on `key` bound the scan. */
  readonly range: ScanRange;
  /** "The objects in the list are ORed; within one object, all conditions must hold". None: every item matches. */
  readonly alternatives: readonly (readonly Predicate[])[];
  /** At most so many items; undefined: as many as the page holds. */
  readonly limit: number | undefined;
  /** Go on behind this key. */
  readonly last: string | undefined;
  readonly sort: 'asc' | 'desc';
}

/** The body of Query Items; no body at all asks for everything. Throws a 400 `RequestError`. */
export function readQueryBody(body: Buffer): Query {
  const value = body.length === 0 ? new Map<string, JsonValue>() : parseBody(body, maxBodyDepth);
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  const limit = readLimit(value.get('limit') ?? null);
  const last = readLast(value.get('last') ?? null);
  const sort = readSort(value.get('sort') ?? null);
  const alternatives = objectsOf(value.get('query') ?? null).map((object) =>
    Array.from(object, ([text, operand]) => readCondition(text, operand)),
  );
  const range = keyRangeOf(alternatives);
  // Inside the range every key fulfils the conditions on it.
  const predicates = alternatives.map((conditions) =>
    conditions.filter((condition) => !isOnKey(condition)).map(predicateOf),
  );
  const all = predicates.some((conditions) => conditions.length === 0);
  return { range, alternatives: all ? [] : predicates, limit, last, sort };
}

/** "absent, `null`, `[]`, `[{}]` and a bare object are accepted" */
function objectsOf(query: JsonValue): Map<string, JsonValue>[] {
  const list = query === null ? [] : Array.isArray(query) ? query : [query];
  return list.map((object) => {
    if (object instanceof Map) return object;
    throw badQuery('query: must be an object of conditions, or a list of such objects');
  });
}

function readLimit(limit: JsonValue): number | undefined {
  if (limit === null) return undefined;
  const value = limit instanceof JsonNumber ? Number(limit.text) : Number.NaN;
  if (Number.isInteger(value) && value >= 1) return value;
  throw badRequest('limit: must be a whole number, 1 or more');
}

function readLast(last: JsonValue): string | undefined {
  if (last === null || last === '') return undefined;
  if (typeof last === 'string') return last;
  throw badRequest('last: must be a key');
}

function readSort(sort: JsonValue): 'asc' | 'desc' {
  if (sort === null || sort === '' || sort === 'asc') return 'asc';
  if (sort === 'desc') return 'desc';
  throw badRequest('sort: must be asc or desc');
}
