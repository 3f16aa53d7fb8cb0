import type { JsonNumber, JsonValue } from '../../json/value.js';
import { compareValues, rank, type SortValue, sortValueOf } from './sort-order.js';

/** A part of the order of values (docs/http.md#ordered-queries). */
export interface ValueRange {
  /** The first and the last rank. The bounds restrict them further. */
  readonly firstRank: number;
  readonly lastRank: number;
  /** Whether it also has values that do not fulfil the condition. */
  readonly isWider?: boolean;
  readonly from?: ValueBound;
  readonly to?: ValueBound;
  /** Only strings that begin with this. */
  readonly prefix?: string;
}

export interface ValueBound {
  readonly value: SortValue;
  readonly isIncluded: boolean;
}

type Ordered = string | JsonNumber;

/** The operand null also matches a missing attribute (docs/http.md#null-in-queries). */
export function rangeOfEqual(operand: JsonValue): ValueRange {
  if (operand === null) return { firstRank: rank.null, lastRank: rank.missing };
  const value = sortValueOf(operand);
  const bound: ValueBound = { value, isIncluded: true };
  // All lists are equal in the order, and so are all objects.
  const isWider = value.rank === rank.list || value.rank === rank.object;
  return { firstRank: value.rank, lastRank: value.rank, from: bound, to: bound, isWider };
}

/** Of strings, only the first characters are compared: more than an index keeps of them. */
const comparedCharacters = 1024;

/** From the smallest to the largest of these values. */
export function rangeOfValues(operand: readonly JsonValue[]): ValueRange {
  const values = operand.map(beginningOf).map(sortValueOf);
  let smallest = 0;
  let largest = 0;
  for (let n = 1; n < values.length; n++) {
    const value = values[n] as SortValue;
    if (compareValues(value, values[smallest] as SortValue, 1) < 0) smallest = n;
    if (compareValues(value, values[largest] as SortValue, 1) > 0) largest = n;
  }
  const from = sortValueOf(operand[smallest] as JsonValue);
  const to = sortValueOf(operand[largest] as JsonValue);
  return {
    firstRank: from.rank,
    lastRank: to.rank,
    from: { value: from, isIncluded: true },
    to: { value: to, isIncluded: true },
    isWider: true,
  };
}

function beginningOf(value: JsonValue): JsonValue {
  return typeof value === 'string' ? value.slice(0, comparedCharacters) : value;
}

export function rangeOfExisting(exists: boolean): ValueRange {
  return exists
    ? { firstRank: rank.false, lastRank: rank.null }
    : { firstRank: rank.missing, lastRank: rank.missing };
}

export function rangeOfPrefix(prefix: string): ValueRange {
  return { firstRank: rank.string, lastRank: rank.string, prefix };
}

/** The values of the operand's type from this one on. */
export function valuesFrom(operand: Ordered, isIncluded: boolean): ValueRange {
  const value = sortValueOf(operand);
  return { firstRank: value.rank, lastRank: value.rank, from: { value, isIncluded } };
}

/** The values of the operand's type up to this one. */
export function valuesUpTo(operand: Ordered, isIncluded: boolean): ValueRange {
  const value = sortValueOf(operand);
  return { firstRank: value.rank, lastRank: value.rank, to: { value, isIncluded } };
}
