import { compareNumbers } from '../../json/number.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import type { Attribute } from './attribute.js';
import { isEqualAt } from './equal.js';

/**
 * Makes a test whether an attribute equals one of the values (docs/http.md#query-conditions). Strings and numbers are
 * looked up in maps, so a thousand values cost hardly more than one.
 */
export function isOneOf(values: readonly JsonValue[]): (attribute: Attribute) => boolean {
  const strings = new Set<string>();
  const numbers = new Map<number, JsonNumber[]>();
  const others: JsonValue[] = [];
  for (const value of values) {
    if (typeof value === 'string') strings.add(value);
    else if (value instanceof JsonNumber) {
      const float = Number(value.text);
      numbers.set(float, [...(numbers.get(float) ?? []), value]);
    } else others.push(value);
  }

  return (attribute) => {
    const { text } = attribute;
    if (text !== undefined) return strings.has(text);
    const { number } = attribute;
    if (number !== undefined) {
      // Different numbers may have the same nearest float.
      return numbers.get(attribute.float)?.some((one) => compareNumbers(one, number) === 0) ?? false;
    }
    return others.some((one) => isEqualAt(attribute.json, attribute.start, one));
  };
}
