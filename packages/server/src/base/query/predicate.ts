import { compareNumbers, shortest } from '../../json/number.js';
import { parseJson } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import { compareUtf8 } from '../../lib/utf8-order.js';
import { maxBodyDepth } from '../limits.js';
import { elementsOf, locate, pathPattern, type Slice } from '../locate.js';
import type { Condition } from './condition.js';
import { isEqual } from './equal.js';

/** Whether a stored item fulfils a condition. */
export type Predicate = (json: string) => boolean;

/** Whether the value that lies in the slice does. */
type ValuePredicate = (json: string, value: Slice) => boolean;

const quote = 0x22;
const listStart = 0x5b;

/** A condition made ready: what can be known from the query alone is worked out once, not for every item. */
export function predicateOf(condition: Condition): Predicate {
  const pattern = pathPattern(condition.segments);
  const [holds, negated] = valuePredicateOf({ ...condition, operand: shortened(condition.operand) });
  return (json) => {
    const value = locate(json, pattern);
    // "the exact negation: an item without the attribute matches"
    return (value !== undefined && holds(json, value)) !== negated;
  };
}

/** The operand with its numbers in their shortest form: it is compared with every item that is read. */
function shortened(operand: JsonValue): JsonValue {
  if (operand instanceof JsonNumber) return shortest(operand);
  if (Array.isArray(operand)) return operand.map(shortened);
  if (operand instanceof Map) {
    return new Map(Array.from(operand, ([name, member]) => [name, shortened(member)]));
  }
  return operand;
}

function valuePredicateOf({ operator, operand }: Condition): [holds: ValuePredicate, negated: boolean] {
  switch (operator) {
    case 'equal':
      return [equals(operand), false];
    case 'ne':
      return [equals(operand), true];
    case 'contains':
      return [contains(operand as string), false];
    case 'not_contains':
      return [contains(operand as string), true];
    case 'pfx':
      return [hasPrefix(operand as string), false];
    case 'r': {
      const [from, to] = (operand as JsonValue[]).map(orderAgainst) as [Order, Order];
      return [(json, value) => from(json, value) >= 0 && to(json, value) <= 0, false];
    }
    default: {
      const order = orderAgainst(operand);
      const holds = comparisons[operator];
      return [(json, value) => holds(order(json, value)), false];
    }
  }
}

/** NaN, when the two cannot be compared, is in no order. */
const comparisons = {
  lt: (order: number) => order < 0,
  gt: (order: number) => order > 0,
  lte: (order: number) => order <= 0,
  gte: (order: number) => order >= 0,
};

type Order = (json: string, value: Slice) => number;

/** "numbers with numbers, strings with strings (by UTF-8 bytes); any other pairing does not match" */
function orderAgainst(operand: JsonValue): Order {
  if (operand instanceof JsonNumber) {
    return (json, value) => {
      const number = numberIn(json, value);
      return number === undefined ? Number.NaN : compareNumbers(number, operand);
    };
  }
  const other = operand as string;
  return (json, value) => {
    const text = stringIn(json, value);
    return text === undefined ? Number.NaN : compareUtf8(text, other);
  };
}

/** "deep: same type, same value; object attribute order is ignored, list order is not" */
function equals(operand: JsonValue): ValuePredicate {
  if (operand instanceof JsonNumber) {
    return (json, value) => {
      const number = numberIn(json, value);
      return number !== undefined && compareNumbers(number, operand) === 0;
    };
  }
  if (operand instanceof Map || Array.isArray(operand)) {
    const first = operand instanceof Map ? 0x7b : listStart;
    return (json, value) =>
      json.charCodeAt(value.start) === first &&
      isEqual(parseJson(Buffer.from(json.slice(value.start, value.end)), maxBodyDepth), operand);
  }
  // Canonical JSON spells a string, a boolean and null in one way.
  const spelled = stringifyJson(operand);
  return (json, value) => isSame(json, value, spelled);
}

function hasPrefix(operand: string): ValuePredicate {
  return (json, value) => stringIn(json, value)?.startsWith(operand) ?? false;
}

/** "matches a substring of a string, or an element of a list" */
function contains(operand: string): ValuePredicate {
  const spelled = JSON.stringify(operand);
  return (json, value) => {
    if (json.charCodeAt(value.start) === listStart) {
      for (const element of elementsOf(json, value.start)) if (isSame(json, element, spelled)) return true;
      return false;
    }
    return stringIn(json, value)?.includes(operand) ?? false;
  };
}

function isSame(json: string, { start, end }: Slice, spelled: string): boolean {
  return end - start === spelled.length && json.startsWith(spelled, start);
}

function numberIn(json: string, { start, end }: Slice): JsonNumber | undefined {
  const first = json.charCodeAt(start);
  const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
  return isNumber ? new JsonNumber(json.slice(start, end)) : undefined;
}

/** What a string says; without escapes it is what stands between the quotes. */
function stringIn(json: string, { start, end }: Slice): string | undefined {
  if (json.charCodeAt(start) !== quote) return undefined;
  const written = json.slice(start + 1, end - 1);
  return written.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : written;
}
