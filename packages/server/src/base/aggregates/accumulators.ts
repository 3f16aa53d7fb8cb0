import { beginsNumber } from '../../json/characters.js';
import { DecimalSum, quotient, rounded, sumBytes } from '../../json/decimal-sum.js';
import { owned } from '../../lib/text/owned.js';
import { compareValues, rank, type SortValue, valueAt } from '../query/sort-order.js';
import { canonicalScalar, valueId } from './canonical-value.js';

/** The value of an aggregate of a group: JSON, or null where there is none. */
export interface AccumulatorResult {
  readonly json: string | null;
  /** False for a sum that has more digits than a number keeps. */
  readonly isExact: boolean;
}

/** Accumulates one aggregate of one group (docs/http.md#aggregates). */
export interface Accumulator {
  /** The number of items whose attribute is missing or of another type. */
  readonly skipped: number;
  /**
   * Adds an item by the JSON of its attribute, undefined if that is missing; it is canonical if `isCompared`. Gives how
   * many bytes more it needs.
   */
  add(text: string | undefined): number;
  /** About how many numbers must be added for the result. */
  readonly cost: number;
  readonly result: AccumulatorResult;
}

export type AggregateKind = keyof typeof accumulators;

/**
 * The kinds of aggregates: how to make the accumulator of each, about how many bytes that takes, and whether values of any
 * type are compared with each other.
 */
export const accumulators = {
  count: { make: (): Accumulator => new Count(), bytes: 48, isCompared: false },
  sum: { make: (): Accumulator => new Sum(), bytes: 48 + sumBytes, isCompared: false },
  avg: { make: (): Accumulator => new Average(), bytes: 48 + sumBytes, isCompared: false },
  min: { make: (): Accumulator => new Extreme(-1), bytes: 96, isCompared: false },
  max: { make: (): Accumulator => new Extreme(1), bytes: 96, isCompared: false },
  distinct: { make: (): Accumulator => new Distinct(), bytes: 224, isCompared: true },
} as const;

const exactly = (json: string | null): AccumulatorResult => ({ json, isExact: true });

class Count implements Accumulator {
  readonly skipped = 0;
  readonly cost = 1;
  private count = 0;

  add(): number {
    this.count++;
    return 0;
  }

  get result(): AccumulatorResult {
    return exactly(String(this.count));
  }
}

abstract class OfNumbers implements Accumulator {
  skipped = 0;
  protected readonly sum = new DecimalSum();
  abstract readonly result: AccumulatorResult;

  get cost(): number {
    return 1 + this.sum.parts;
  }

  add(text: string | undefined): number {
    if (text !== undefined && beginsNumber(text.charCodeAt(0))) return this.sum.add(text);
    this.skipped++;
    return 0;
  }
}

class Sum extends OfNumbers {
  get result(): AccumulatorResult {
    const { text, isExact } = rounded(this.sum.total);
    return { json: text, isExact };
  }
}

class Average extends OfNumbers {
  get result(): AccumulatorResult {
    const { sum } = this;
    return exactly(sum.count === 0 ? null : quotient(sum.total, sum.count).text);
  }
}

/** The first or the last value in the order of queries, of those that differ in it. */
class Extreme implements Accumulator {
  skipped = 0;
  readonly cost = 1;
  private value: SortValue | undefined;
  private json = '';

  constructor(private readonly direction: number) {}

  add(text: string | undefined): number {
    const value = text === undefined ? undefined : valueAt(text, 0);
    if (text === undefined || value === undefined || value.rank > rank.string) {
      this.skipped++;
      return 0;
    }
    if (this.value !== undefined && compareValues(value, this.value, this.direction) <= 0) return 0;
    const grown = text.length - this.json.length;
    this.json = owned(text);
    this.value = valueAt(this.json, 0);
    // The text and what it says.
    return 2 * grown;
  }

  get result(): AccumulatorResult {
    return exactly(this.value === undefined ? null : canonicalScalar(this.json));
  }
}

const valueBytes = 64;

class Distinct implements Accumulator {
  skipped = 0;
  readonly cost = 1;
  private readonly ids = new Set<string>();

  add(text: string | undefined): number {
    if (text === undefined) {
      this.skipped++;
      return 0;
    }
    const before = this.ids.size;
    const id = valueId(text);
    this.ids.add(id);
    return this.ids.size === before ? 0 : valueBytes + id.length;
  }

  get result(): AccumulatorResult {
    return exactly(String(this.ids.size));
  }
}
