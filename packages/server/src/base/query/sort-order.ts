import { hash } from 'node:crypto';
import { compareNumbers } from '../../json/number.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import { badField, type RequestError } from '../../request-error.js';
import { shownPath, sortSegmentsOf } from '../items/attribute-path.js';
import { missing, PathTree } from '../items/path-tree.js';
import { maxOrderPaths } from '../limits.js';
import { Attribute, numberAt } from './attribute.js';

/**
 * The order of types (docs/http.md#ordered-queries). All lists are equal in the order, and so are all
 * objects.
 */
export const rank = {
  false: 0,
  true: 1,
  number: 2,
  string: 3,
  list: 4,
  object: 5,
  null: 6,
  missing: 7,
} as const;

/** The value of an item at one of the paths that it is ordered by. */
export interface SortValue {
  readonly rank: number;
  /** Present for a number, with the float nearest to it. */
  readonly number?: JsonNumber;
  readonly float?: number;
  /** Present for a string. */
  readonly text?: string;
}

/** Where an item is in the order. Each item of a base has a different one. */
export interface Position {
  readonly values: readonly SortValue[];
  readonly key: string;
}

/** The order of a query. */
export interface SortOrder {
  readonly paths: readonly string[];
  /** The same paths without their signs, with their directions: 1 for ascending, -1 for descending. */
  readonly columns: readonly { readonly path: string; readonly direction: number }[];
  /** The direction by which items with equal values are ordered by their keys. */
  readonly keyDirection: number;
  /** A text that only equal orders have in common. `paging.last` contains it. */
  readonly fingerprint: string;
  /** Gives the values by which a stored item is ordered. */
  valuesOf(item: string): readonly SortValue[];
  /** Negative if `a` comes first, positive if `b` does, and 0 only if both have the same key. */
  compare(a: Position, b: Position): number;
}

interface SortPath {
  readonly segments: readonly string[];
  /** 1 for ascending order, -1 for descending. */
  readonly direction: number;
}

/**
 * Reads the member `order` of a query. Gives undefined for null and the empty list. Items with equal values are ordered
 * by key, in the direction of `sort`. Throws a 400 `RequestError`.
 */
export function readOrder(order: JsonValue, sort: 'asc' | 'desc'): SortOrder | undefined {
  if (order === null) return undefined;
  if (!Array.isArray(order)) throw badField('order', 'wrong_type', 'must be a list of attribute paths');
  if (order.length > maxOrderPaths) throw tooManyOrdered();
  if (order.length === 0) return undefined;
  const name = shortNameOf(order, sort);
  if (name === undefined) return orderOf(order, sort);
  const known = knownOrders.get(name);
  if (known !== undefined) return known;
  // The texts of `order` are parts of the text of the whole body, and would keep all of it in memory.
  const read = orderOf((JSON.parse(name) as string[]).slice(0, -1), sort);
  if (knownOrders.size === maxKnownOrders) knownOrders.clear();
  knownOrders.set(name, read);
  return read;
}

function orderOf(order: readonly JsonValue[], sort: 'asc' | 'desc'): SortOrder {
  const seen = new Set<string>();
  const paths = order.map((written, index) => readPath(written, `order[${index}]`, seen));
  return createOrder(order as string[], paths, sort);
}

/** Programs ask in a few orders, again and again: to read one takes 7 µs, with its fingerprint, a tenth of a small page. */
const knownOrders = new Map<string, SortOrder>();
const maxKnownOrders = 256;
const maxNameCharacters = 256;

/** A text that only equal orders have in common; undefined if it would be long, or there is no such order. */
function shortNameOf(order: readonly JsonValue[], sort: string): string | undefined {
  let characters = 0;
  for (const path of order) {
    if (typeof path !== 'string') return undefined;
    characters += path.length;
  }
  return characters > maxNameCharacters ? undefined : JSON.stringify([...order, sort]);
}

export function tooManyOrdered(): RequestError {
  return badField('order', 'too_many', `has more than ${maxOrderPaths} paths`);
}

function readPath(written: JsonValue, field: string, seen: Set<string>): SortPath {
  const isDown = typeof written === 'string' && written.startsWith('-');
  const path = isDown ? written.slice(1) : written;
  const segments = sortSegmentsOf(path, field);
  const text = path as string;
  if (seen.has(text)) throw badField(field, 'duplicate', `the path ${shownPath(text)} is named twice`);
  seen.add(text);
  return { segments, direction: isDown ? -1 : 1 };
}

function createOrder(
  written: readonly string[],
  paths: readonly SortPath[],
  sort: 'asc' | 'desc',
): SortOrder {
  const keyDirection = sort === 'desc' ? -1 : 1;
  const startsOf = createStartReader(paths.map(({ segments }) => segments));
  let fingerprint: string | undefined;
  return {
    paths: written,
    columns: paths.map(({ segments, direction }) => ({ path: segments.join('.'), direction })),
    keyDirection,
    // Only a page with others after it needs it.
    get fingerprint() {
      fingerprint ??= fingerprintOf([...written, sort]);
      return fingerprint;
    },

    valuesOf(item) {
      const starts = startsOf(item);
      return paths.map((_, index) => valueAt(item, starts[index] ?? missing));
    },

    compare(a, b) {
      for (const [index, { direction }] of paths.entries()) {
        const order = compareValues(a.values[index] as SortValue, b.values[index] as SortValue, direction);
        if (order !== 0) return order;
      }
      return keyDirection * compareUtf8(a.key, b.key);
    },
  };
}

/**
 * Makes a function that gives the positions where the values at these paths begin in a stored item, or `missing`. The
 * next call overwrites them.
 */
export function createStartReader(paths: readonly (readonly string[])[]): (item: string) => Int32Array {
  const tree = new PathTree();
  for (const segments of paths) tree.add(segments);
  return (item) => tree.locate(item);
}

const fingerprintCharacters = 12;

/** A text that only equal lists have in common. */
export function fingerprintOf(texts: readonly string[]): string {
  return hash('sha256', JSON.stringify(texts), 'base64url').slice(0, fingerprintCharacters);
}

/** The rank of a value by the first character of its JSON. Numbers begin with a digit or a minus. */
const ranks: Readonly<Record<string, number>> = {
  f: rank.false,
  t: rank.true,
  '"': rank.string,
  '[': rank.list,
  '{': rank.object,
  n: rank.null,
};
/** The values of which only the rank matters. They are made once. */
const plainValues: readonly SortValue[] = Object.values(rank).map((one) => ({ rank: one }));

export function plainValue(valueRank: number): SortValue {
  return plainValues[valueRank] as SortValue;
}

function numberValue(number: JsonNumber): SortValue {
  return { rank: rank.number, number, float: Number(number.text) };
}

/** The value of parsed JSON. */
export function sortValueOf(json: JsonValue): SortValue {
  if (json === null) return plainValue(rank.null);
  if (typeof json === 'boolean') return plainValue(json ? rank.true : rank.false);
  if (typeof json === 'string') return { rank: rank.string, text: json };
  if (json instanceof JsonNumber) return numberValue(json);
  return plainValue(Array.isArray(json) ? rank.list : rank.object);
}

/** The value that begins at a position of a stored item, which may be `missing`. */
export function valueAt(item: string, start: number): SortValue {
  if (start === missing) return plainValue(rank.missing);
  const valueRank = ranks[item.charAt(start)] ?? rank.number;
  if (valueRank === rank.number) return numberValue(numberAt(item, start));
  if (valueRank !== rank.string) return plainValue(valueRank);
  return { rank: rank.string, text: new Attribute(item, start).text as string };
}

/** Compares two values. A missing value comes last in either direction, which is 1 or -1. */
export function compareValues(a: SortValue, b: SortValue, direction: number): number {
  if (a.rank !== b.rank) {
    const isMissing = a.rank === rank.missing || b.rank === rank.missing;
    return (isMissing ? 1 : direction) * (a.rank - b.rank);
  }
  if (a.text !== undefined && b.text !== undefined) return direction * compareUtf8(a.text, b.text);
  if (a.number === undefined || b.number === undefined) return 0;
  // Rounding to a float keeps the order: only equal floats need the exact comparison.
  if (a.float !== b.float) return (a.float as number) < (b.float as number) ? -direction : direction;
  return direction * compareNumbers(a.number, b.number);
}
