import { compareNumbers } from '../../json/number.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import type { Attribute } from './attribute.js';
import { isEqualAt } from './equal.js';
import { operandBytesOf } from './operand-bytes.js';

/** So much of lists and objects is compared with a value in one step. */
const bytesPerStep = 16 * 1024;

/**
 * Makes a test whether an attribute equals one of the values (docs/http.md#query-conditions). Strings and numbers are
 * looked up in maps, so a thousand values cost hardly more than one. A value is compared with many lists and objects in
 * steps.
 */
export function isOneOf(values: readonly JsonValue[]): (attribute: Attribute) => boolean | Steps<boolean> {
  const strings = new Set<string>();
  const numbers = new Map<number, JsonNumber[]>();
  const others: JsonValue[] = [];
  let otherBytes = 0;
  for (const value of values) {
    if (typeof value === 'string') strings.add(value);
    else if (value instanceof JsonNumber) {
      const float = Number(value.text);
      numbers.set(float, [...(numbers.get(float) ?? []), value]);
    } else {
      others.push(value);
      otherBytes += operandBytesOf(value);
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
    return others.some((one) => isEqualAt(attribute.json, attribute.start, one));
  };
}

function* equalsOneOf({ json, start }: Attribute, values: readonly JsonValue[]): Steps<boolean> {
  let bytes = 0;
  for (const value of values) {
    if (isEqualAt(json, start, value)) return true;
    bytes += operandBytesOf(value);
    if (bytes <= bytesPerStep) continue;
    bytes = 0;
    yield;
  }
  return false;
}
