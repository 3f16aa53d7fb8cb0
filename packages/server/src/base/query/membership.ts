import { compareNumbers } from '../../json/number.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import type { Attribute } from './attribute.js';
import { isEqualAt } from './equal.js';
import { operandBytesOf } from './operand-bytes.js';

/** A list or an object, and what it costs to compare it: see `operandBytesOf`. */
interface OtherValue {
  readonly value: JsonValue;
  readonly bytes: number;
}

/** This much of lists and objects is compared with a value in one step. */
const bytesPerStep = 16 * 1024;

/** What it costs to compare an item with the values: those that are looked up cost nothing. */
export function comparedBytesOf(values: readonly JsonValue[]): number {
  let bytes = 0;
  for (const value of values) {
    const isLookedUp = typeof value === 'string' || value instanceof JsonNumber;
    if (!isLookedUp) bytes += operandBytesOf(value);
  }
  return bytes;
}

/**
 * Makes a test whether an attribute equals one of the values (docs/http.md#query-conditions). Strings and numbers are
 * looked up in maps, so a thousand values cost hardly more than one. A value is compared with many lists and objects in
 * steps.
 */
export function isOneOf(values: readonly JsonValue[]): (attribute: Attribute) => boolean | Steps<boolean> {
  const strings = new Set<string>();
  const numbers = new Map<number, JsonNumber[]>();
  const others: OtherValue[] = [];
  let otherBytes = 0;
  for (const value of values) {
    if (typeof value === 'string') strings.add(value);
    else if (value instanceof JsonNumber) {
      const float = Number(value.text);
      numbers.set(float, [...(numbers.get(float) ?? []), value]);
    } else {
      // Computed once: the operand may be large, and it is compared with every item.
      const bytes = operandBytesOf(value);
      others.push({ value, bytes });
      otherBytes += bytes;
    }
  }

  return (attribute) => {
    const { text } = attribute;
    if (text !== undefined) return strings.has(text);
    const { number } = attribute;
    if (number !== undefined) {
      // Different numbers may have the same nearest float.
      return numbers.get(attribute.float)?.some((one) => compareNumbers(one, number) === 0) ?? false;
    }
    if (otherBytes > bytesPerStep) return equalsOneOf(attribute, others);
    return others.some(({ value }) => isEqualAt(attribute.json, attribute.start, value));
  };
}

function* equalsOneOf({ json, start }: Attribute, values: readonly OtherValue[]): Steps<boolean> {
  let compared = 0;
  for (const { value, bytes } of values) {
    if (isEqualAt(json, start, value)) return true;
    compared += bytes;
    if (compared <= bytesPerStep) continue;
    compared = 0;
    yield;
  }
  return false;
}
