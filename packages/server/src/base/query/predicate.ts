import { compareNumbers, shortest } from '../../json/number.js';
import { parseJson } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import { maxBodyDepth } from '../limits.js';
import { elementsOf, locate, pathPattern, type Slice } from '../locate.js';
import type { Condition } from './condition.js';
import { isEqual } from './equal.js';

/** Whether a stored item fulfils a condition. */
export type Predicate = (json: Buffer) => boolean;

/** Whether the value that lies in the slice does. */
type ValuePredicate = (json: Buffer, value: Slice) => boolean;

const quote = 0x22;
const listStart = 0x5b;
const backslash = 0x5c;

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

type Order = (json: Buffer, value: Slice) => number;

/** "numbers with numbers, strings with strings (by UTF-8 bytes); any other pairing does not match" */
function orderAgainst(operand: JsonValue): Order {
  if (operand instanceof JsonNumber) {
    return (json, value) => {
      const number = numberIn(json, value);
      return number === undefined ? Number.NaN : compareNumbers(number, operand);
    };
  }
  const bytes = Buffer.from(operand as string);
  return (json, value) => {
    const text = stringIn(json, value);
    return text === undefined ? Number.NaN : Buffer.compare(text, bytes);
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
      json[value.start] === first &&
      isEqual(parseJson(json.subarray(value.start, value.end), maxBodyDepth), operand);
  }
  // Canonical JSON spells a string, a boolean and null in one way.
  const bytes = Buffer.from(stringifyJson(operand));
  return (json, value) => isSame(json, value, bytes);
}

function hasPrefix(operand: string): ValuePredicate {
  const bytes = Buffer.from(operand);
  return (json, value) => {
    const text = stringIn(json, value);
    return (
      text !== undefined &&
      text.length >= bytes.length &&
      text.compare(bytes, 0, bytes.length, 0, bytes.length) === 0
    );
  };
}

/** "matches a substring of a string, or an element of a list" */
function contains(operand: string): ValuePredicate {
  const bytes = Buffer.from(operand);
  const spelled = Buffer.from(JSON.stringify(operand));
  return (json, value) => {
    if (json[value.start] === listStart) {
      for (const element of elementsOf(json, value.start)) if (isSame(json, element, spelled)) return true;
      return false;
    }
    return stringIn(json, value)?.includes(bytes) ?? false;
  };
}

function isSame(json: Buffer, { start, end }: Slice, bytes: Buffer): boolean {
  return end - start === bytes.length && json.compare(bytes, 0, bytes.length, start, end) === 0;
}

function numberIn(json: Buffer, { start, end }: Slice): JsonNumber | undefined {
  const first = json[start];
  const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
  return isNumber ? new JsonNumber(json.toString('latin1', start, end)) : undefined;
}

/** The UTF-8 bytes of a string; without escapes they are those that are stored. */
function stringIn(json: Buffer, { start, end }: Slice): Buffer | undefined {
  if (json[start] !== quote) return undefined;
  const stored = json.subarray(start + 1, end - 1);
  if (!stored.includes(backslash)) return stored;
  return Buffer.from(JSON.parse(json.toString('utf8', start, end)) as string);
}
