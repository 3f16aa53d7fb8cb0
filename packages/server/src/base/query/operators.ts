import type { ScanRange } from '../../engines/item-store.js';
import { compareNumbers } from '../../json/number.js';
import { stringifyJson } from '../../json/stringify.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import { type BrokenRule, broken } from '../../request-error.js';
import { maxOperandBytes, maxOperandValues } from '../limits.js';
import type { Attribute } from './attribute.js';
import { foldCase } from './case-folding.js';
import { isEqualAt } from './equal.js';
import { comparedBytesOf, isOneOf } from './membership.js';
import { createSubstringSearch } from './substring.js';
import {
  rangeOfEqual,
  rangeOfExisting,
  rangeOfPrefix,
  rangeOfValues,
  type ValueRange,
  valuesFrom,
  valuesUpTo,
} from './value-range.js';

/**
 * Whether an attribute fulfils a condition. The attribute is undefined if the item does not have it. A long comparison
 * is made in steps.
 */
export type Test = (attribute: Attribute | undefined) => boolean | Steps<boolean>;

/** An operator of the query language (docs/http.md#query-conditions). */
export interface Operator {
  /** The texts after the `?` of a condition that mean this operator. The operator without a `?` has none. */
  readonly spellings: readonly string[];
  /** Gives what is wrong with an operand, or undefined. */
  readonly operandProblem: (operand: JsonValue) => BrokenRule | undefined;
  /** Makes the test of a condition, once for all items. `operand` has no problem. */
  readonly test: (operand: JsonValue) => Test;
  /** What comparing an item with the operand costs, as `operandBytesOf` says it; absent if all of it is compared. */
  readonly comparedBytes?: (operand: JsonValue) => number;
  /**
   * The range of keys of a condition on `key`; absent if the operator cannot be used there. `from` and `to` are the two
   * values of the operand, or both are the operand.
   */
  readonly keyRange?: (from: string, to: string) => ScanRange;
  /** The part of an index that has all values that fulfil the condition; absent if that is most of it. */
  readonly valueRange?: (operand: JsonValue) => ValueRange;
  /** What fulfils the condition: lists with the operand as an element, or strings besides. Absent for anything else. */
  readonly finds?: 'elements' | 'elements and text';
}

interface OperandType<T extends JsonValue> {
  readonly rule: string;
  readonly accepts: (operand: JsonValue) => operand is T;
}

type Ordered = string | JsonNumber;
type Ends = [Ordered, Ordered];

const anything: OperandType<JsonValue> = {
  rule: '',
  accepts: (_operand): _operand is JsonValue => true,
};
const string: OperandType<string> = {
  rule: 'the operand must be a string',
  accepts: (operand): operand is string => typeof operand === 'string',
};
const boolean: OperandType<boolean> = {
  rule: 'the operand must be true or false',
  accepts: (operand): operand is boolean => typeof operand === 'boolean',
};
const values: OperandType<JsonValue[]> = {
  rule: `the operand must be a list of 1 to ${maxOperandValues} values`,
  accepts: (operand): operand is JsonValue[] =>
    Array.isArray(operand) && operand.length >= 1 && operand.length <= maxOperandValues,
};
const ordered: OperandType<Ordered> = {
  rule: 'the operand must be a number or a string',
  accepts: (operand): operand is Ordered => typeof operand === 'string' || operand instanceof JsonNumber,
};
const twoEnds: OperandType<Ends> = {
  rule: 'the operand must be a list of two numbers or of two strings',
  accepts: (operand): operand is Ends =>
    Array.isArray(operand) &&
    operand.length === 2 &&
    (operand.every((end) => typeof end === 'string') || operand.every((end) => end instanceof JsonNumber)),
};

const equal = define(anything, {
  spellings: [],
  test: equals,
  keyRange: (operand) => ({ gte: operand, lte: operand }),
  valueRange: rangeOfEqual,
});
const contains = define(string, {
  spellings: ['contains'],
  test: containsOperand,
  finds: 'elements and text',
});
const isIn = define(values, {
  spellings: ['in'],
  test: isInList,
  comparedBytes: comparedBytesOf,
  valueRange: rangeOfValues,
});

/** All operators. An entry has everything that depends on the operator. */
const operators = [
  equal,
  define(anything, { spellings: ['ne', '!='], test: not(equal.test) }),
  define(ordered, {
    spellings: ['lt', '<'],
    test: compares((order) => order < 0),
    keyRange: (operand) => ({ lt: operand }),
    valueRange: (operand) => valuesUpTo(operand, false),
  }),
  define(ordered, {
    spellings: ['gt', '>'],
    test: compares((order) => order > 0),
    keyRange: (operand) => ({ gt: operand }),
    valueRange: (operand) => valuesFrom(operand, false),
  }),
  define(ordered, {
    spellings: ['lte', '<='],
    test: compares((order) => order <= 0),
    keyRange: (operand) => ({ lte: operand }),
    valueRange: (operand) => valuesUpTo(operand, true),
  }),
  define(ordered, {
    spellings: ['gte', '>='],
    test: compares((order) => order >= 0),
    keyRange: (operand) => ({ gte: operand }),
    valueRange: (operand) => valuesFrom(operand, true),
  }),
  define(twoEnds, {
    spellings: ['r'],
    test: isInRange,
    keyRange: (from, to) => ({ gte: from, lte: to }),
    valueRange: ([from, to]) => ({ ...valuesFrom(from, true), ...valuesUpTo(to, true) }),
  }),
  define(string, {
    spellings: ['pfx'],
    test: (operand) => (attribute) => attribute?.text?.startsWith(operand) ?? false,
    keyRange: (operand) => ({ prefix: operand }),
    valueRange: rangeOfPrefix,
  }),
  contains,
  define(string, { spellings: ['not_contains', '!contains'], test: not(contains.test) }),
  isIn,
  define(values, { spellings: ['not_in'], test: not(isIn.test), comparedBytes: comparedBytesOf }),
  define(boolean, {
    spellings: ['exists'],
    test: (operand) => (attribute) => (attribute !== undefined) === operand,
    valueRange: rangeOfExisting,
  }),
  define(anything, { spellings: ['has'], test: hasElement, finds: 'elements' }),
  define(string, { spellings: ['icontains'], test: containsFolded }),
  define(string, { spellings: ['ipfx'], test: hasFoldedPrefix }),
] as const satisfies readonly Operator[];

const bySpelling = new Map(
  operators.flatMap((operator: Operator) => operator.spellings.map((spelling) => [spelling, operator])),
);

/** Finds the operator that has this text after the `?`; undefined means a condition without a `?`. */
export function findOperator(spelling: string | undefined): Operator | undefined {
  return spelling === undefined ? equal : bySpelling.get(spelling);
}

interface Definition<T> {
  readonly spellings: readonly string[];
  readonly test: (operand: T) => Test;
  readonly comparedBytes?: (operand: T) => number;
  readonly keyRange?: (from: string, to: string) => ScanRange;
  readonly valueRange?: (operand: T) => ValueRange;
  readonly finds?: Operator['finds'];
}

/** Defines an operator. Its operand is checked before the test is made. */
function define<T extends JsonValue>(type: OperandType<T>, definition: Definition<T>): Operator {
  const { test, comparedBytes, valueRange, ...others } = definition;
  return {
    ...others,
    ...(comparedBytes && { comparedBytes: comparedBytes as (operand: JsonValue) => number }),
    ...(valueRange && { valueRange: valueRange as (operand: JsonValue) => ValueRange }),
    operandProblem(operand) {
      if (!type.accepts(operand)) return broken('wrong_type', type.rule);
      const strings = Array.isArray(operand) ? operand : [operand];
      const isTooLong = strings.some((one) => typeof one === 'string' && one.length > maxOperandBytes);
      return isTooLong
        ? broken('too_long', `a string operand may have ${maxOperandBytes} characters`)
        : undefined;
    },
    test: test as (operand: JsonValue) => Test,
  };
}

function not<T>(test: (operand: T) => Test): (operand: T) => Test {
  return (operand) => {
    const holds = test(operand);
    return (attribute) => {
      const held = holds(attribute);
      return typeof held === 'boolean' ? !held : opposite(held);
    };
  };
}

function* opposite(held: Steps<boolean>): Steps<boolean> {
  return !(yield* held);
}

/** The operand null also matches a missing attribute (docs/http.md#null-in-queries). */
function equals(operand: JsonValue): Test {
  if (operand === null) {
    return (attribute) => attribute === undefined || attribute.json.startsWith('null', attribute.start);
  }
  if (operand instanceof Map || Array.isArray(operand)) {
    return (attribute) => attribute !== undefined && isEqualAt(attribute.json, attribute.start, operand);
  }
  if (operand instanceof JsonNumber) return compares((order) => order === 0)(operand);
  // Canonical JSON writes a string and a boolean in one way only.
  const written = stringifyJson(operand);
  return (attribute) => attribute?.json.startsWith(written, attribute.start) ?? false;
}

function compares(holds: (order: number) => boolean): (operand: Ordered) => Test {
  return (operand) => {
    const order = orderAgainst(operand);
    return (attribute) => attribute !== undefined && holds(order(attribute));
  };
}

function isInRange([from, to]: Ends): Test {
  const fromOrder = orderAgainst(from);
  const toOrder = orderAgainst(to);
  return (attribute) => attribute !== undefined && fromOrder(attribute) >= 0 && toOrder(attribute) <= 0;
}

/**
 * Compares numbers with numbers, and strings with strings by their UTF-8 bytes. Values of different types have no
 * order: NaN.
 */
function orderAgainst(operand: Ordered): (attribute: Attribute) => number {
  if (operand instanceof JsonNumber) {
    const operandFloat = Number(operand.text);
    return (attribute) => {
      const { float } = attribute;
      // Rounding to a float keeps the order: only equal floats need the exact comparison.
      if (float !== operandFloat) return float - operandFloat;
      return compareNumbers(attribute.number as JsonNumber, operand);
    };
  }
  return ({ text }) => (text === undefined ? Number.NaN : compareUtf8(text, operand));
}

/** Whether the value is a string with this substring, or a list with this element. */
function containsOperand(operand: string): Test {
  const written = JSON.stringify(operand);
  const isIn = createSubstringSearch(operand);
  return (attribute) => {
    if (attribute === undefined) return false;
    if (attribute.isList) return attribute.hasElement(written);
    const { text } = attribute;
    return text !== undefined && isIn(text);
  };
}

/** A missing attribute is equal to none of the values, not even to null (docs/http.md#null-in-queries). */
function isInList(operand: readonly JsonValue[]): Test {
  const isIn = isOneOf(operand);
  return (attribute) => attribute !== undefined && isIn(attribute);
}

function hasElement(operand: JsonValue): Test {
  // Canonical JSON writes a string in one way only.
  const written = typeof operand === 'string' ? JSON.stringify(operand) : undefined;
  return (attribute) => {
    if (!attribute?.isList) return false;
    return written === undefined ? attribute.hasElementEqualTo(operand) : attribute.hasElement(written);
  };
}

/** Only strings match, unlike `?contains`: the elements of a list are compared as they are. */
function containsFolded(operand: string): Test {
  const isIn = createSubstringSearch(foldCase(operand));
  return (attribute) => {
    const text = attribute?.foldedText;
    return text !== undefined && isIn(text);
  };
}

function hasFoldedPrefix(operand: string): Test {
  const prefix = foldCase(operand);
  return (attribute) => attribute?.foldedText?.startsWith(prefix) ?? false;
}
