import type { ScanRange } from '../../engines/item-store.js';
import { choiceOf, flagOf, objectOf, outlineOf, wholeOf } from '../../http/requests/bodies/members.js';
import type { MemberOutline, Outline } from '../../json/outline.js';
import { oneOf } from '../../json/schema.js';
import type { JsonObject, JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField, badQuery, type RequestError } from '../../request-error.js';
import { readBody } from '../items/item.js';
import { maxConditions, maxOrderPaths, maxSelectedPaths } from '../limits.js';
import { type Condition, readCondition } from './condition.js';
import { readCursor } from './cursor.js';
import { createFilter, type Filter } from './filter.js';
import { keepRepeated } from './kept-queries.js';
import { isOnKey, keyRangeOf } from './key-range.js';
import { type Projection, readSelect, tooManySelected } from './projection.js';
import { type Position, readOrder, type SortOrder, tooManyOrdered } from './sort-order.js';

/** What determines the items that match. */
export interface Criteria {
  /** The range of keys that is read (docs/http.md#conditions-on-key). */
  readonly range: ScanRange;
  /** The conditions; undefined if every item of the range matches. */
  readonly filter: Filter | undefined;
  /** The number of conditions of the filter. */
  readonly conditions: number;
  /** Objects of conditions, of which every match fulfils one, without those on the key. None: nothing is required. */
  readonly required: readonly (readonly Condition[])[];
}

export interface Query extends Criteria {
  /** The maximum number of items of the page; undefined if only the size of the page limits it. */
  readonly limit: number | undefined;
  /** The key to continue after; undefined for an ordered query. */
  readonly last: string | undefined;
  readonly sort: 'asc' | 'desc';
  /** The order; undefined for the order of the keys. */
  readonly order: SortOrder | undefined;
  /** The position of the order to continue after. */
  readonly after: Position | undefined;
  /** The number of matches to skip first. 0 if the query continues a page (docs/http.md#offset-and-total). */
  readonly offset: number;
  /** Whether to count all matches. */
  readonly count: boolean;
  /** The selected attributes; undefined for whole items. */
  readonly select: Projection | undefined;
}

/** A query with an order other than that of the keys. */
export interface OrderedQuery extends Query {
  readonly order: SortOrder;
}

const outline: Outline = {
  members: new Map([
    ...outlineOf(
      {},
      { limit: readLimit, last: (last) => readLast(last), sort: readSort, offset: readOffset, count: flagOf },
    ).members,
    ['query', conditionsOutline('query')],
    ['select', { most: maxSelectedPaths, problem: tooManySelected }],
    ['order', { most: maxOrderPaths, problem: tooManyOrdered }],
  ]),
};

/** What is known of a list of objects of conditions, or of one such object, before it is read. */
export function conditionsOutline(field: string): MemberOutline {
  return { most: maxConditions, mostWithin: maxConditions, problem: () => tooManyConditions(field) };
}

/**
 * Reads the body of Query Items (docs/http.md#query-items). An empty body asks for all items. Throws a 400
 * `RequestError`. Nothing of the query may be changed: others may have the same.
 */
export const readQueryBody = keepRepeated(readNewQuery);

function* readNewQuery(body: Buffer): Steps<Query> {
  const rules = { numbers: 'shortest', outline } as const;
  const value = body.length === 0 ? new Map() : objectOf(yield* readBody(body, rules));
  const limit = readLimit(value.get('limit') ?? null);
  const last = readLast(value.get('last') ?? null);
  const sort = readSort(value.get('sort') ?? null);
  const offset = readOffset(value.get('offset') ?? null);
  const count = flagOf(value.get('count') ?? false, 'count');
  const select = yield* readSelect(value.get('select') ?? null);
  const order = readOrder(value.get('order') ?? null, sort);
  const criteria = yield* criteriaOf(value);
  const continues = order !== undefined && last !== undefined;
  return {
    ...criteria,
    limit,
    last: order === undefined ? last : undefined,
    sort,
    order,
    after: continues ? yield* readCursor(order, last) : undefined,
    offset: last === undefined ? offset : 0,
    count,
    select,
  };
}

/** Reads the member `query`. `shortened` prepares its operands if they were parsed exactly. */
export function* criteriaOf(
  value: JsonObject,
  shortened?: (objects: readonly (readonly Condition[])[]) => Steps<Condition[][]>,
): Steps<Criteria> {
  const objects = yield* readConditions(value.get('query') ?? null, 'query');
  const range = keyRangeOf(objects);
  // Every key in the range fulfils the conditions on `key`, so the filter does not need them.
  const others = objects.map((conditions) => conditions.filter((condition) => !isOnKey(condition)));
  // If one of the objects has no conditions, every item matches.
  const isAll = others.length === 0 || others.some((conditions) => conditions.length === 0);
  if (isAll) return { range, filter: undefined, conditions: 0, required: [] };
  const filter = yield* createFilter(shortened === undefined ? others : yield* shortened(others));
  return { range, filter, conditions: others.flat().length, required: others };
}

/** The conditions that every match fulfils: several objects are alternatives, so then there are none. */
export function soleObject(required: Query['required']): readonly Condition[] {
  return (required.length === 1 ? required[0] : undefined) ?? [];
}

const conditionsPerStep = 16;

/**
 * Reads a list of objects of conditions. null is an empty list; a bare object is a list of one
 * (docs/http.md#query-items). `field` is the name of the member in messages. Throws the 400 `RequestError` of a bad
 * query.
 */
export function* readConditions(query: JsonValue, field: string): Steps<readonly (readonly Condition[])[]> {
  const list = query === null ? [] : Array.isArray(query) ? query : [query];
  let conditions = 0;
  for (const object of list) {
    if (!(object instanceof Map)) {
      throw badQuery(field, 'wrong_type', 'must be an object of conditions, or a list of such objects');
    }
    conditions += object.size;
  }
  if (list.length > maxConditions || conditions > maxConditions) throw tooManyConditions(field);
  let count = 0;
  const objects: Condition[][] = [];
  for (const object of list as JsonObject[]) {
    const read: Condition[] = [];
    for (const [text, operand] of object) {
      read.push(readCondition(text, operand));
      if (++count % conditionsPerStep === 0) yield;
    }
    objects.push(read);
  }
  return objects;
}

export function readLimit(limit: JsonValue): number | undefined {
  return limit === null ? undefined : wholeOf(limit, 'limit', { minimum: 1 }, 'a whole number, 1 or more');
}

function readOffset(offset: JsonValue): number {
  return offset === null ? 0 : wholeOf(offset, 'offset', {}, 'a whole number, 0 or more');
}

/** `what`: what it must be. */
export function readLast(last: JsonValue, what = 'a key, or the paging.last of a page'): string | undefined {
  if (last === null || last === '') return undefined;
  if (typeof last === 'string') return last;
  throw badField('last', 'wrong_type', `must be ${what}`);
}

const sorts = oneOf('asc', 'desc');

function readSort(sort: JsonValue): 'asc' | 'desc' {
  return sort === null || sort === '' ? 'asc' : choiceOf(sort, 'sort', sorts);
}

function tooManyConditions(field: string): RequestError {
  return badQuery(field, 'too_many', `has more than ${maxConditions} objects or conditions`);
}
