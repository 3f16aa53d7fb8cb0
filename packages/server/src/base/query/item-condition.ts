import { shortest } from '../../json/number.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import type { Condition } from './condition.js';
import { createFilter } from './filter.js';
import { keyRangeOf } from './key-range.js';
import { readConditions } from './query-body.js';

/**
 * The `if` of an update or of an operation of a transaction (docs/http.md#conditional-updates). An item matches if
 * Query Items with the same query would return it.
 */
export interface ItemCondition {
  /** The number of its conditions. */
  readonly conditions: number;
  /** What their operands cost: see `operandBytesOf`. */
  readonly operandBytes: number;
  /** Whether a stored item matches. */
  matches(item: string): Steps<boolean>;
}

const valuesPerStep = 256;

/**
 * Reads the member `if`. Gives undefined for null. Throws the 400 `RequestError` of a bad query
 * (docs/http.md#bad-queries).
 */
export function* readItemCondition(query: JsonValue): Steps<ItemCondition | undefined> {
  if (query === null) return undefined;
  const objects = yield* readConditions(query, 'if');
  // A single item needs no range of keys. The call checks that the conditions on `key` obey the same rules as in Query
  // Items.
  keyRangeOf(objects);
  const all = objects.flat();
  const matchesAll = objects.length === 0 || objects.some((object) => object.length === 0);
  if (matchesAll) return { conditions: 0, operandBytes: 0, matches: matchAll };
  return {
    conditions: all.length,
    operandBytes: all.reduce((bytes, condition) => bytes + condition.operandBytes, 0),
    matches: (item) => matchesOne(item, objects),
  };
}

/**
 * The filter is several times as large as its conditions, and it keeps the item. Thousands of operations may wait for their turn,
 * and most conditions are evaluated once: so the filter exists only while it is used.
 */
function* matchesOne(item: string, objects: readonly (readonly Condition[])[]): Steps<boolean> {
  const filter = yield* createFilter(yield* withShortNumbers(objects));
  return yield* filter.matchesInSteps(item);
}

// biome-ignore lint/correctness/useYield: it is over before a first pause.
function* matchAll(): Steps<boolean> {
  return true;
}

/**
 * Gives each number of a query its shortest text, as the parser of Query Items does, because the numbers are compared
 * often. Lists and objects are changed in place: a copy could take 40 MiB.
 */
export function* withShortNumbers(objects: readonly (readonly Condition[])[]): Steps<Condition[][]> {
  const counted = { values: 0 };
  const result: Condition[][] = [];
  for (const object of objects) {
    const conditions: Condition[] = [];
    for (const condition of object) {
      conditions.push({ ...condition, operand: yield* short(condition.operand, counted) });
    }
    result.push(conditions);
  }
  return result;
}

/** Not within `withShortNumbers`: see `evaluateInSteps` of filter.ts. `counted`: the values of the query so far. */
function* short(value: JsonValue, counted: { values: number }): Steps<JsonValue> {
  if (++counted.values % valuesPerStep === 0) yield;
  if (value instanceof JsonNumber) return shortest(value);
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) value[index] = yield* short(element, counted);
  } else if (value instanceof Map) {
    for (const [name, member] of value) value.set(name, yield* short(member, counted));
  }
  return value;
}
