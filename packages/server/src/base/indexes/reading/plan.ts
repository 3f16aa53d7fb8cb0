import { compareUtf8, endOfPrefix } from '../../../lib/text/utf8-order.js';
import type { Condition } from '../../query/condition.js';
import type { SortOrder } from '../../query/sort-order.js';
import type { ValueBound, ValueRange } from '../../query/value-range.js';
import { type Declaration, keptCharacters } from '../declarations/declarations.js';
import { partsOf } from '../entries/element-entries.js';
import { entryPrefix } from '../entries/entries.js';
import {
  afterValue,
  type EncodedValue,
  encodePrefix,
  encodeValue,
  isKeptPrefix,
} from '../entries/value-encoding.js';

/** A range of keys. */
export interface Region {
  readonly gte: string;
  readonly lt: string;
}

/** A part of an index. */
export interface IndexRegion {
  readonly index: Declaration;
  readonly region: Region;
}

/** How a query uses indexes: it reads the items of the entries in the regions, which include all matches. */
export interface QueryPlan {
  /** One or more. An item may have entries in several of them, unless the plan is decided. */
  readonly regions: readonly IndexRegion[];
  /** Those of the regions whose items must be compared with the query even if the plan is decided. */
  readonly doubtful: readonly Region[];
  /** Whether all items of the other regions match, apart from those that have expired. */
  readonly isDecided: boolean;
  /** Present if there is one region, whose entries can be read in the order of the query. */
  readonly walk: WalkPlan | undefined;
}

/** What is known about the order of the entries in a region. */
export interface WalkPlan {
  /** The beginning that all entries of the region have in common, in whole values. */
  readonly prefix: string;
  /** The columns of the order whose values follow in each entry. Their values are followed by the key. */
  readonly columns: readonly WalkColumn[];
  /** The columns of the order that have the same value in all entries of the region. */
  readonly constants: readonly WalkConstant[];
  readonly keyDirection: number;
  /** The number of characters of a string that entries keep. */
  readonly characters: number;
}

interface WalkColumn {
  /** The number of the column in the order. */
  readonly column: number;
  readonly direction: number;
}

interface WalkConstant {
  readonly column: number;
  readonly encoded: string;
}

/** What a query needs of an index. */
export interface QueryNeeds {
  /** Objects of conditions, of which every match fulfils one. None: nothing is required. */
  readonly required: readonly (readonly Condition[])[];
  /** How many conditions there are in all. */
  readonly conditions: number;
  /** The order; undefined if any order will do. */
  readonly order: SortOrder | undefined;
  /** Whether all matches are read, and not only the first ones. */
  readonly readsAll: boolean;
}

/** An equality narrows the most, a range less. An order saves reading everything after the page. */
const equalityScore = 4;
const rangeScore = 2;
const orderScore = 1;
/** No item is read to count the matches. */
const decidedScore = 16;

/** The plans of a query, the best one first: none if no index would read less than all items. */
export function planQuery(needs: QueryNeeds, indexes: readonly Declaration[]): readonly QueryPlan[] {
  const { required } = needs;
  if (required.length <= 1) {
    const plan = bestPlan({ ...needs, required: required[0] ?? [] }, indexes);
    return plan === undefined ? [] : [plan];
  }
  const one = bestPlan({ ...needs, required: [] }, indexes);
  return [unionOf(needs, indexes), one].filter((plan) => plan !== undefined);
}

/** The names of the indexes of a plan. */
export function indexesOf({ regions }: QueryPlan): string {
  return [...new Set(regions.map(({ index }) => index.name))].join(', ');
}

/** The indexes that will serve the query once they are built, if none serves it now. */
export function planOfBuilding(needs: QueryNeeds, indexes: readonly Declaration[]): readonly Declaration[] {
  const built = indexes.map((one) => (one.state === 'building' ? { ...one, state: 'ready' as const } : one));
  const [plan] = planQuery(needs, built);
  const used = new Set(plan?.regions.map(({ index }) => index.id));
  return indexes.filter(({ id, state }) => state === 'building' && used.has(id));
}

/** What one object of conditions needs. */
interface NeedsOfOne extends Omit<QueryNeeds, 'required'> {
  readonly required: readonly Condition[];
}

function bestPlan(needs: NeedsOfOne, indexes: readonly Declaration[]): QueryPlan | undefined {
  let best: { readonly plan: QueryPlan; readonly score: number } | undefined;
  for (const index of indexes) {
    if (index.state !== 'ready') continue;
    const { plan, score } = index.each ? planElements(needs, index) : planIndex(needs, index);
    if (score > (best?.score ?? 0)) best = { plan, score };
  }
  return best?.plan;
}

/** A plan with the regions of each object of conditions; undefined if no index serves one of them. */
function unionOf({ required, readsAll }: QueryNeeds, indexes: readonly Declaration[]): QueryPlan | undefined {
  const plans: QueryPlan[] = [];
  for (const object of required) {
    const needs = { required: object, conditions: object.length, order: undefined, readsAll };
    const plan = bestPlan(needs, indexes);
    if (plan === undefined) return undefined;
    plans.push(plan);
  }
  const regions = plans.flatMap((plan) => plan.regions);
  const [first] = regions;
  // An item has one entry in an index that is not one of lists. So it is in one of its regions, since they do not overlap.
  const isOfOne = regions.every(({ index }) => index === first?.index && !index.each);
  const isDecided = isOfOne && plans.every((plan) => plan.isDecided);
  return { regions: mergedRegions(regions), doubtful: [], isDecided, walk: undefined };
}

/** The same parts of indexes, none of which overlap, apart from indexes in which an item has several entries. */
function mergedRegions(regions: readonly IndexRegion[]): readonly IndexRegion[] {
  const sorted = regions.toSorted(
    (a, b) => compareUtf8(a.region.gte, b.region.gte) || compareUtf8(a.region.lt, b.region.lt),
  );
  const merged: IndexRegion[] = [];
  for (const next of sorted) {
    const last = merged.at(-1);
    if (last === undefined || compareUtf8(next.region.gte, last.region.lt) >= 0) merged.push(next);
    else if (compareUtf8(next.region.lt, last.region.lt) > 0)
      merged[merged.length - 1] = { ...last, region: { gte: last.region.gte, lt: next.region.lt } };
  }
  return merged;
}

/** A condition on the elements of a list. Others are compared with each item that is read. */
function planElements({ required, conditions, readsAll }: NeedsOfOne, index: Declaration) {
  const [field = ''] = index.fields;
  const prefix = entryPrefix(index.id);
  const found = required.flatMap(({ segments, operator, operand }) => {
    const parts = segments.join('.') === field ? partsOf(operator, operand, keptCharacters(1)) : undefined;
    return parts === undefined ? [] : [parts];
  });
  const parts = found.find(({ isExact }) => isExact) ?? found[0];
  if (parts === undefined)
    return { plan: { regions: [], doubtful: [], isDecided: false, walk: undefined }, score: 0 };
  const regionFrom = (part: string) => ({ gte: prefix + part, lt: afterValue(prefix + part) });
  const doubtful = parts.others.map(regionFrom);
  const regions = [regionFrom(parts.element), ...doubtful].map((region) => ({ index, region }));
  const isDecided = conditions === 1 && parts.isExact;
  const score = equalityScore + (isDecided && readsAll ? decidedScore : 0);
  return { plan: { regions, doubtful, isDecided, walk: undefined }, score };
}

/** A list of a thousand values is searched for its range, and each index of a query asks for it. */
const knownRanges = new WeakMap<Condition, ValueRange>();

function rangeOf(condition: Condition): ValueRange | undefined {
  const known = knownRanges.get(condition);
  if (known !== undefined) return known;
  const range = condition.operator.valueRange?.(condition.operand);
  if (range !== undefined) knownRanges.set(condition, range);
  return range;
}

function planIndex({ required, conditions, order, readsAll }: NeedsOfOne, index: Declaration) {
  const { fields } = index;
  const characters = keptCharacters(fields.length);
  const rangesOf = (field: string) =>
    required.flatMap((condition) => {
      const range = condition.segments.join('.') === field ? rangeOf(condition) : undefined;
      return range === undefined ? [] : [range];
    });
  let prefix = entryPrefix(index.id);
  const points = new Map<string, string>();
  let ranges: readonly ValueRange[] = [];
  let decided = 0;
  for (const field of fields) {
    ranges = rangesOf(field);
    const point = ranges.map((range) => pointOf(range, characters)).find((text) => text !== undefined);
    if (point === undefined) break;
    points.set(field, point);
    prefix += point;
    // With several conditions on this field, the others may not hold for this value.
    if (ranges.length === 1 && isExact(ranges[0] as ValueRange, characters)) decided++;
    ranges = [];
  }
  decided += ranges.filter((range) => isExact(range, characters)).length;
  const isDecided = decided === conditions && required.length === conditions;
  const regions = ranges.map((range) => regionOf(range, prefix, characters));
  const region = regions.reduce(intersection, { gte: prefix, lt: endOfPrefix(prefix) as string });
  const walk =
    order === undefined
      ? undefined
      : walkOf(order, { prefix, points, characters, left: fields.slice(points.size) });
  const score =
    equalityScore * points.size +
    (ranges.length > 0 ? rangeScore : 0) +
    (walk !== undefined && (!readsAll || isDecided) ? orderScore : 0) +
    (isDecided && readsAll ? decidedScore : 0);
  return { plan: { regions: [{ index, region }], doubtful: [], isDecided, walk }, score };
}

interface Served {
  readonly prefix: string;
  /** The fields with a single value, with their encoded values. */
  readonly points: ReadonlyMap<string, string>;
  readonly characters: number;
  /** The other fields. */
  readonly left: readonly string[];
}

/**
 * How to read the entries in an order. The order without its constant columns must consist of the other fields: entries
 * with equal values are ordered by key, as the items of a query are. The key may also be a column; nothing after it
 * matters.
 */
function walkOf(order: SortOrder, { prefix, points, characters, left }: Served): WalkPlan | undefined {
  const columns: WalkColumn[] = [];
  const constants: WalkConstant[] = [];
  let { keyDirection } = order;
  for (const [column, { path, direction }] of order.columns.entries()) {
    const encoded = points.get(path);
    if (encoded !== undefined) constants.push({ column, encoded });
    else if (path === 'key') {
      keyDirection = direction;
      break;
    } else if (path === left[columns.length]) columns.push({ column, direction });
    else return undefined;
  }
  return columns.length === left.length
    ? { prefix, columns, constants, keyDirection, characters }
    : undefined;
}

/** The encoded value if the range has only one. */
function pointOf({ from, to, prefix }: ValueRange, characters: number): string | undefined {
  if (from === undefined || from !== to || prefix !== undefined) return undefined;
  const { text, isExact } = encodeValue(from.value, characters);
  return isExact ? text : undefined;
}

/** Whether the region of the range has no other entries than those whose value is in it, and fulfils its condition. */
function isExact({ isWider = false, from, to, prefix }: ValueRange, characters: number): boolean {
  const isWhole = (bound: ValueBound | undefined) =>
    bound === undefined || encodeValue(bound.value, characters).isExact;
  return (
    !isWider && isWhole(from) && isWhole(to) && (prefix === undefined || isKeptPrefix(prefix, characters))
  );
}

/** The region of the entries whose next value after `start` is in the range, or may be. */
function regionOf(range: ValueRange, start: string, characters: number): Region {
  const { firstRank, lastRank, from, to, prefix } = range;
  if (prefix !== undefined) {
    const begin = start + encodePrefix(prefix, characters);
    return { gte: begin, lt: endOfPrefix(begin) as string };
  }
  const encoded = (bound: ValueBound) => encodeValue(bound.value, characters);
  const isWhole = (bound: ValueBound, { isExact }: EncodedValue) => bound.isIncluded || !isExact;
  let gte = start + firstRank;
  let lt = start + (lastRank + 1);
  if (from !== undefined) {
    const value = encoded(from);
    gte = start + (isWhole(from, value) ? value.text : afterValue(value.text));
  }
  if (to !== undefined) {
    const value = encoded(to);
    lt = start + (isWhole(to, value) ? afterValue(value.text) : value.text);
  }
  return { gte, lt };
}

export function intersection(a: Region, b: Region): Region {
  return {
    gte: compareUtf8(a.gte, b.gte) < 0 ? b.gte : a.gte,
    lt: compareUtf8(a.lt, b.lt) < 0 ? a.lt : b.lt,
  };
}
