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

/** From the smallest to the largest of these values. */
export function rangeOfValues(operand: readonly JsonValue[]): ValueRange {
  const [first, ...others] = operand.map(sortValueOf);
  if (first === undefined) throw new Error('there are no values');
  let [from, to] = [first, first];
  for (const value of others) {
    if (compareValues(value, from, 1) < 0) from = value;
    if (compareValues(value, to, 1) > 0) to = value;
  }
  return {
    firstRank: from.rank,
    lastRank: to.rank,
    from: { value: from, isIncluded: true },
    to: { value: to, isIncluded: true },
    isWider: true,
  };
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
