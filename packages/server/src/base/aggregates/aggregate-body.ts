import { textOf } from '../../http/requests/bodies/members.js';
import type { Outline } from '../../json/outline.js';
import type { JsonObject, JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { type BrokenRule, badField, broken } from '../../request-error.js';
import { readCriteria, readObject } from '../by-query/by-query-body.js';
import { shownPath, sortSegmentsOf } from '../items/attribute-path.js';
import { maxAggregateNameBytes, maxAggregates, maxGroupPaths, maxOrderPaths } from '../limits.js';
import { readCursor } from '../query/cursor.js';
import { type Criteria, conditionsOutline, readLast, readLimit } from '../query/query-body.js';
import type { Position } from '../query/sort-order.js';
import { type AggregateKind, accumulators } from './accumulators.js';
import { createGroupOrder, type GroupOrder, type OrderColumn } from './group-order.js';
import type { Aggregate, Aggregation, GroupColumn } from './groups.js';
import { type TimeUnit, timeUnits } from './time-units.js';

/** What Aggregate asks for. */
export interface AggregateRequest extends Aggregation {
  readonly query: Criteria;
  /** How the answer calls the columns. */
  readonly columnNames: readonly string[];
  readonly order: GroupOrder;
  readonly limit: number;
  /** The position to continue after. */
  readonly after: Position | undefined;
}

const kinds = Object.keys(accumulators) as readonly AggregateKind[];
/** Members of an answer that are no aggregates. */
const reserved: readonly string[] = ['group', 'skipped', 'exact'];

const outline: Outline = {
  members: new Map([
    ['query', conditionsOutline('query')],
    ['group', { most: maxGroupPaths, problem: tooManyPaths }],
    ['aggregates', { most: maxAggregates, problem: () => wrongCount('too_many') }],
    ['order', { most: maxOrderPaths, problem: tooManyOrdered }],
  ]),
};

/** Reads the body of Aggregate (docs/http.md#aggregates). Throws a 400 `RequestError`. */
export function* readAggregateBody(body: Buffer): Steps<AggregateRequest> {
  const value = yield* readObject(body, outline);
  const fields = new Map<string, number>();
  const { columns, names } = readGroup(value.get('group') ?? null, fields);
  const aggregates = readAggregates(value.get('aggregates') ?? undefined, fields, names);
  const order = readOrder(value, names, aggregates);
  if (columns.length === 0) refusePaging(value);
  const last = readLast(value.get('last') ?? null, 'the paging.last of a page of groups');
  return {
    query: yield* readCriteria(value),
    fields: [...fields.keys()],
    columns,
    columnNames: names,
    aggregates,
    order,
    limit: readLimit(value.get('limit') ?? null) ?? Number.POSITIVE_INFINITY,
    after: last === undefined ? undefined : yield* readCursor(order, last),
  };
}

function readGroup(group: JsonValue, fields: Map<string, number>) {
  const columns: GroupColumn[] = [];
  const names: string[] = [];
  if (group === null) return { columns, names };
  if (!Array.isArray(group)) throw badField('group', 'wrong_type', 'must be a list of attribute paths');
  if (group.length > maxGroupPaths) throw tooManyPaths();
  for (const [index, written] of group.entries()) {
    const at = `group[${index}]`;
    const { path, unit } = written instanceof Map ? spanIn(written, at) : { path: written, unit: undefined };
    const name = pathOf(path, unit === undefined ? at : `${at}.${unit}`);
    if (names.includes(name)) throw badField(at, 'duplicate', `the path ${shownPath(name)} is named twice`);
    columns.push({ field: fieldOf(name, fields), unit });
    names.push(name);
  }
  return { columns, names };
}

function spanIn(object: JsonObject, at: string): { path: JsonValue; unit: TimeUnit } {
  const [entry, ...more] = object;
  const unit = timeUnits.find((one) => one === entry?.[0]);
  if (entry === undefined || unit === undefined || more.length > 0) {
    throw badField(at, 'invalid_value', `must have one of ${timeUnits.join(', ')}, with an attribute path`);
  }
  return { path: entry[1], unit };
}

function readAggregates(
  given: JsonValue | undefined,
  fields: Map<string, number>,
  columnNames: readonly string[],
): readonly Aggregate[] {
  if (given === undefined) throw badField('aggregates', 'required', 'must be an object of aggregates');
  if (!(given instanceof Map)) throw badField('aggregates', 'wrong_type', 'must be an object of aggregates');
  if (given.size === 0) throw wrongCount('empty');
  if (given.size > maxAggregates) throw wrongCount('too_many');
  return Array.from(given, ([name, aggregate]) => {
    const at = `aggregates.${shownPath(name)}`;
    textOf(name, at, (text) => nameProblem(text, columnNames));
    const [entry, ...more] = aggregate instanceof Map ? aggregate : [];
    const kind = kinds.find((one) => one === entry?.[0]);
    if (entry === undefined || kind === undefined || more.length > 0)
      throw badField(at, 'invalid_value', `must have one of ${kinds.join(', ')}`);
    if (kind !== 'count') return { name, kind, field: fieldOf(pathOf(entry[1], `${at}.${kind}`), fields) };
    if (entry[1] !== true) throw badField(`${at}.count`, 'invalid_value', 'must be true');
    return { name, kind, field: undefined };
  });
}

function nameProblem(name: string, columnNames: readonly string[]): BrokenRule | undefined {
  if (name === '') return broken('empty', 'a name must not be empty');
  if (Buffer.byteLength(name) > maxAggregateNameBytes)
    return broken('too_long', `a name must have at most ${maxAggregateNameBytes} bytes`);
  if (name.startsWith('-')) return broken('invalid_value', 'a name must not begin with -');
  if (reserved.includes(name)) return broken('not_allowed', 'the answer has a member of this name');
  if (columnNames.includes(name)) return broken('duplicate', 'group has a path of this name');
  return undefined;
}

/** The order of the groups: by results and by values, and then by the values that are not named. */
function readOrder(
  value: JsonObject,
  columnNames: readonly string[],
  aggregates: readonly Aggregate[],
): GroupOrder {
  const given = value.get('order') ?? null;
  if (given !== null && !Array.isArray(given))
    throw badField('order', 'wrong_type', 'must be a list of names of aggregates and paths of group');
  if (given !== null && given.length > maxOrderPaths) throw tooManyOrdered();
  const seen = new Set<string>();
  const columns = (given ?? []).map((written, index): OrderColumn => {
    const at = `order[${index}]`;
    const text = textOf(written, at, () => undefined);
    const direction = text.startsWith('-') ? -1 : 1;
    const name = direction < 0 ? text.slice(1) : text;
    if (seen.has(name)) throw badField(at, 'duplicate', `${shownPath(name)} is named twice`);
    seen.add(name);
    const aggregate = aggregates.findIndex((one) => one.name === name);
    const column = columnNames.indexOf(name);
    if (aggregate < 0 && column < 0)
      throw badField(at, 'invalid_value', 'is no name of an aggregate and no path of group');
    return aggregate < 0
      ? { of: 'value', index: column, direction }
      : { of: 'result', index: aggregate, direction };
  });
  const rest = columnNames.flatMap((name, index): OrderColumn[] =>
    seen.has(name) ? [] : [{ of: 'value', index, direction: 1 }],
  );
  const asked = [value.get('order'), value.get('group'), value.get('aggregates')];
  return createGroupOrder([...columns, ...rest], asked);
}

/** Without groups there is one result. */
function refusePaging(value: JsonObject): void {
  for (const member of ['order', 'limit', 'last']) {
    if ((value.get(member) ?? null) !== null) throw badField(member, 'not_allowed', 'needs group');
  }
}

function pathOf(path: JsonValue, at: string): string {
  sortSegmentsOf(path, at);
  return path as string;
}

function fieldOf(path: string, fields: Map<string, number>): number {
  const field = fields.get(path) ?? fields.size;
  fields.set(path, field);
  return field;
}

function tooManyPaths() {
  return badField('group', 'too_many', `has more than ${maxGroupPaths} paths`);
}

function wrongCount(code: 'empty' | 'too_many') {
  return badField('aggregates', code, `must have 1 to ${maxAggregates} aggregates`);
}

function tooManyOrdered() {
  return badField('order', 'too_many', `has more than ${maxOrderPaths} names`);
}
