import { JsonNumber } from '../../../json/value.js';
import { owned } from '../../../lib/text/owned.js';
import type { Position, SortValue } from '../../query/sort-order.js';

/** What the objects of a position and of each of its values take in memory, about, besides their texts. */
const positionBytes = 200;
const valueBytes = 150;
/** V8 copies shorter parts of a string. A longer part keeps the whole string in memory. */
const shortCharacters = 13;

/** The bytes that a position takes in memory, about. */
export function memoryOf({ key, values }: Position): number {
  let bytes = positionBytes + Buffer.byteLength(key);
  for (const { text, number } of values) {
    bytes += valueBytes + Buffer.byteLength(text ?? number?.text ?? '');
  }
  return bytes;
}

/** The same position, which does not keep the text of its item in memory. */
export function detached({ key, values }: Position): Position {
  return { key: copied(key), values: values.map(detachedValue) };
}

function detachedValue(value: SortValue): SortValue {
  const { text, number } = value;
  if (text !== undefined) return { ...value, text: copied(text) };
  if (number === undefined || number.text.length < shortCharacters) return value;
  return { ...value, number: new JsonNumber(copied(number.text)) };
}

function copied(text: string): string {
  return text.length < shortCharacters ? text : owned(text);
}
