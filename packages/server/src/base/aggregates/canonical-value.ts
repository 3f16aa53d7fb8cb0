import { hash } from 'node:crypto';
import { shortest } from '../../json/number.js';
import { parseJson, writtenHere } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';

/** Integers of no more digits are written in one way only. */
const plainInteger = /^(?:0|-?[1-9]\d{0,14})$/;
const wholeCharacters = 64;

/**
 * The JSON of a value such that equal values (docs/http.md#query-conditions) have the same text: 1.0 and 1, and objects
 * whose attributes have another order. `text` is that of a stored item.
 */
export function canonicalText(text: string): string {
  switch (text[0]) {
    case '"':
    case 't':
    case 'f':
    case 'n':
      return text;
    case '[':
    case '{':
      return stringifyJson(sorted(parseJson(Buffer.from(text), writtenHere)));
    default:
      return plainInteger.test(text) ? text : shortest(new JsonNumber(text)).text;
  }
}

function sorted(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return shortest(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  const names = [...value.keys()].sort();
  return new Map(names.map((name) => [name, sorted(value.get(name) as JsonValue)]));
}

/** A short text that only equal values have in common. */
export function valueId(canonical: string): string {
  return canonical.length <= wholeCharacters ? owned(canonical) : hash('sha256', canonical, 'base64url');
}

/** The same text in memory of its own: a part of a string keeps all of it in memory. */
export function owned(text: string): string {
  return Buffer.from(text).toString();
}
