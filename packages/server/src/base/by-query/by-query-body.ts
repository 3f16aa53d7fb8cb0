import type { Grant } from '../../access/grant.js';
import { narrowedRange } from '../../access/scope.js';
import { flagOf, objectOf, outlineOf, wholeOf } from '../../http/requests/bodies/members.js';
import type { MemberOutline, Outline } from '../../json/outline.js';
import type { JsonObject, JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField } from '../../request-error.js';
import { firstItemKey } from '../indexes/entries/entries.js';
import { readBody } from '../items/item.js';
import { maxClaimed, maxOrderPaths } from '../limits.js';
import { withShortNumbers } from '../query/item-condition.js';
import { keepRepeated } from '../query/kept-queries.js';
import { type Criteria, conditionsOutline, criteriaOf, readLimit } from '../query/query-body.js';
import { readOrder, type SortOrder, tooManyOrdered } from '../query/sort-order.js';
import { type Returned, readReplaced, readReturned } from '../updates/returned.js';
import { changesOutline, readUpdate, type Update } from '../updates/update-body.js';

/** An operation that changes what matches. */
export interface ChangeByQuery {
  readonly query: Criteria;
  /** Whether the query matches every item. */
  readonly isAll: boolean;
  /** The maximum number of items to change. */
  readonly limit: number;
  /** The order in which they are changed; undefined for that of the keys. */
  readonly order: SortOrder | undefined;
  /** Which items the operation gives back: as they were before, or as they are after. */
  readonly returns: Returned | undefined;
  /** Whether matches are only counted. */
  readonly isDryRun: boolean;
}

/** An operation that updates what matches, and the update without a condition of its own. */
export interface UpdateByQuery {
  readonly change: ChangeByQuery;
  readonly update: Update;
}

const countMembers: readonly [string, MemberOutline][] = [['query', conditionsOutline('query')]];
const deleteMembers: readonly [string, MemberOutline][] = [
  ...countMembers,
  ...outlineOf({}, { limit: readLimit, all: flagOf, dry_run: flagOf }).members,
  ['order', { most: maxOrderPaths, problem: tooManyOrdered }],
];
const countOutline: Outline = { members: new Map(countMembers) };
const deleteOutline: Outline = { members: new Map(deleteMembers) };
const updateOutline: Outline = { members: new Map([...deleteMembers, ...changesOutline]) };

/**
 * Reads the body of Count Items (docs/http.md#count-items). An empty body asks for all items. Throws a 400
 * `RequestError`. Nothing of the query may be changed: others may have the same.
 */
export const readCountBody = keepRepeated(function* (body): Steps<Criteria> {
  return yield* readCriteria(yield* readObject(body, countOutline));
});

/** Reads the body of Delete By Query (docs/http.md#delete-by-query). Throws a 400 `RequestError`. */
export function* readDeleteBody(body: Buffer): Steps<ChangeByQuery> {
  return yield* readChange(yield* readObject(body, deleteOutline), readReplaced);
}

/**
 * Reads the body of Update By Query (docs/http.md#update-by-query). `expires_in` counts from `nowSeconds`. Throws a 400
 * `RequestError`.
 */
export function* readUpdateByQueryBody(body: Buffer, nowSeconds: number): Steps<UpdateByQuery> {
  const value = yield* readObject(body, updateOutline);
  // An ignored `if` would change more items than the caller wants.
  if (value.has('if'))
    throw badField('if', 'not_allowed', 'belongs to Update Item, the conditions here are those of query');
  const change = yield* readChange(value, readReturned);
  return { change, update: yield* readUpdate(value, { bodyBytes: body.length, path: 'body', nowSeconds }) };
}

/** The change, of what the key's prefix allows. */
export function allowedChange(grant: Grant, { query, ...change }: ChangeByQuery): ChangeByQuery {
  return { ...change, query: { ...query, range: narrowedRange(grant, query.range) } };
}

/** Reads a body whose members are described. An empty one is an object without any. */
export function* readObject(body: Buffer, outline: Outline): Steps<JsonObject> {
  return body.length === 0 ? new Map() : objectOf(yield* readBody(body, { outline }));
}

function* readChange(value: JsonObject, readReturns: typeof readReturned): Steps<ChangeByQuery> {
  const returns = readReturns(value.get('return') ?? null, 'return');
  const order = readOrder(value.get('order') ?? null, 'asc');
  const limit = readMost(value.get('limit') ?? null, returns !== undefined || order !== undefined);
  const isDryRun = flagOf(value.get('dry_run') ?? false, 'dry_run');
  const mayBeAll = flagOf(value.get('all') ?? false, 'all');
  const query = yield* readCriteria(value);
  const isAll = matchesEverything(query);
  if (isAll && !mayBeAll)
    throw badField('all', 'unconfirmed', 'must be true for a query that matches every item');
  return { query, isAll, limit, order, returns, isDryRun };
}

/** What is kept in memory has a limit (docs/http.md#claims). */
function readMost(limit: JsonValue, isKept: boolean): number {
  if (!isKept) return readLimit(limit) ?? Number.POSITIVE_INFINITY;
  const what = `a whole number from 1 to ${maxClaimed} with return or order`;
  return wholeOf(limit ?? undefined, 'limit', { minimum: 1, maximum: maxClaimed }, what);
}

/** Reads the query. Its operands were parsed exactly, because those of an update are in the same body. */
export function readCriteria(value: JsonObject): Steps<Criteria> {
  return criteriaOf(value, withShortNumbers);
}

/**
 * Whether the query matches every item. A range that leaves out no key counts, such as that of the prefix '': the caller has
 * probably forgotten to set a variable.
 */
function matchesEverything({ range, filter }: Criteria): boolean {
  const { prefix = '', gt = '', gte = '', lt, lte } = range;
  const beginsWithFirst = gt < firstItemKey && gte <= firstItemKey;
  return filter === undefined && prefix === '' && beginsWithFirst && lt === undefined && lte === undefined;
}
