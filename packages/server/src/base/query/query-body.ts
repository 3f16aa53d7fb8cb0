import type { ScanRange } from '../../engines/item-store.js';
import type { MemberOutline, Outline } from '../../json/outline.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/time-slices.js';
import { badQuery, badRequest } from '../../request-error.js';
import { readBody } from '../item.js';
import { maxConditions, maxOrderPaths, maxSelectedPaths } from '../limits.js';
import { type Condition, readCondition } from './condition.js';
import { readCursor } from './cursor.js';
import { createFilter, type Filter } from './filter.js';
import { isOnKey, keyRangeOf } from './key-range.js';
import { type Projection, readSelect, tooManySelected } from './projection.js';
import { type Position, readOrder, type SortOrder, tooManyOrdered } from './sort-order.js';

export interface Query {
  /** The range of keys that the query reads (docs/http.md#conditions-on-key). */
  readonly range: ScanRange;
  /** The conditions; undefined if every item of the range matches. */
  readonly filter: Filter | undefined;
  /** The number of conditions of the filter. */
  readonly conditions: number;
  /** The conditions that every match fulfils, except those on the key. */
  readonly required: readonly Condition[];
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

const outline: Outline = {
  members: new Map([
    ['query', conditionsOutline('query')],
    ['select', { most: maxSelectedPaths, problem: tooManySelected }],
    ['order', { most: maxOrderPaths, problem: tooManyOrdered }],
    ['limit', { most: 0, problem: badLimit }],
    ['last', { most: 0, problem: badLast }],
    ['sort', { most: 0, problem: badSort }],
    ['offset', { most: 0, problem: badOffset }],
    ['count', { most: 0, problem: badCount }],
  ]),
};

/** What is known of a list of objects of conditions, or of one such object, before it is read. */
export function conditionsOutline(field: string): MemberOutline {
  return { most: maxConditions, mostWithin: maxConditions, problem: () => tooManyConditions(field) };
}

/**
 * Reads the body of Query Items (docs/http.md#query-items). An empty body asks for all items. Throws a 400
 * `RequestError`.
 */
export function* readQueryBody(body: Buffer): Steps<Query> {
  const rules = { numbers: 'shortest', outline } as const;
  const value: JsonValue = body.length === 0 ? new Map() : yield* readBody(body, rules);
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  const limit = readLimit(value.get('limit') ?? null);
  const last = readLast(value.get('last') ?? null);
  const sort = readSort(value.get('sort') ?? null);
  const offset = readOffset(value.get('offset') ?? null);
  const count = readCount(value.get('count') ?? null);
  const select = yield* readSelect(value.get('select') ?? null);
  const order = readOrder(value.get('order') ?? null, sort);
  const objects = yield* readConditions(value.get('query') ?? null, 'query');
  const range = keyRangeOf(objects);
  // Every key in the range fulfils the conditions on `key`, so the filter does not need them.
  const others = objects.map((conditions) => conditions.filter((condition) => !isOnKey(condition)));
  const all = others.length === 0 || others.some((conditions) => conditions.length === 0);
  const filter = all ? undefined : yield* createFilter(others);
  const continues = order !== undefined && last !== undefined;
  return {
    range,
    filter,
    conditions: all ? 0 : others.flat().length,
    required: requiredOf(others),
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

/** Several objects are alternatives, so then no condition is required. */
export function requiredOf(objects: readonly (readonly Condition[])[]): readonly Condition[] {
  return (objects.length === 1 ? objects[0] : undefined) ?? [];
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
      throw badQuery(`${field}: must be an object of conditions, or a list of such objects`);
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
  if (limit === null) return undefined;
  const value = limit instanceof JsonNumber ? Number(limit.text) : Number.NaN;
  if (Number.isInteger(value) && value >= 1) return value;
  throw badLimit();
}

function readOffset(offset: JsonValue): number {
  if (offset === null) return 0;
  const value = offset instanceof JsonNumber ? Number(offset.text) : Number.NaN;
  if (Number.isInteger(value) && value >= 0) return value;
  throw badOffset();
}

function readCount(count: JsonValue): boolean {
  if (count === null) return false;
  if (typeof count === 'boolean') return count;
  throw badCount();
}

function readLast(last: JsonValue): string | undefined {
  if (last === null || last === '') return undefined;
  if (typeof last === 'string') return last;
  throw badLast();
}

function readSort(sort: JsonValue): 'asc' | 'desc' {
  if (sort === null || sort === '' || sort === 'asc') return 'asc';
  if (sort === 'desc') return 'desc';
  throw badSort();
}

export function badLimit(): Error {
  return badRequest('limit: must be a whole number, 1 or more');
}

function badOffset(): Error {
  return badRequest('offset: must be a whole number, 0 or more');
}

function badCount(): Error {
  return badRequest('count: must be true or false');
}

function badLast(): Error {
  return badRequest('last: must be a key');
}

function badSort(): Error {
  return badRequest('sort: must be asc or desc');
}

function tooManyConditions(field: string): Error {
  return badQuery(`${field}: has more than ${maxConditions} objects or conditions`);
}
