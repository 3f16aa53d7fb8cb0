import { beginsNumber, comma, listEnd, listStart, objectStart, quote } from '../../../json/characters.js';
import type { JsonValue } from '../../../json/value.js';
import { missing, skipValue } from '../../items/path-tree.js';
import type { Operator } from '../../query/operators.js';
import { sortValueOf, valueAt } from '../../query/sort-order.js';
import { encodeNumber, encodeValue } from './value-encoding.js';

/**
 * The entries of an index of the elements of lists (docs/http.md#indexes-of-lists). Between the beginning of its entries
 * and the key of the item is one of these:
 *
 *   e, an encoded element      a list with such an element: one entry for each different one
 *   m                          a list with more different elements than an index keeps
 *   s                          a string, which `?contains` searches
 *
 * Other values, and missing ones, have no entry.
 */
const ofElement = 'e';
const ofMany = 'm';
const ofString = 's';

/** A list with more different elements is read whenever an element is asked for. It bounds what one write changes. */
const maxElements = 1000;

/**
 * The middle parts of the entries of the value that begins at `start`. A list may have 200,000 elements of which few are
 * different: an element that is written like one before it is only passed.
 */
export function elementParts(item: string, start: number, characters: number): readonly string[] {
  if (start === missing) return [];
  const first = item.charCodeAt(start);
  if (first === quote) return [ofString];
  if (first !== listStart || item.charCodeAt(start + 1) === listEnd) return [];
  const parts = new Set<string>();
  const written = new Set<string>();
  for (let at = start + 1; ; ) {
    const end = skipValue(item, at);
    const element = writtenAt(item, at, end);
    if (!written.has(element)) {
      written.add(element);
      parts.add(ofElement + textAt(item, at, characters));
      if (parts.size > maxElements) return [ofMany];
    }
    if (item.charCodeAt(end) !== comma) return [...parts];
    at = end + 1;
  }
}

/** The JSON of an element. All lists are the same in an index, and so are all objects. */
function writtenAt(item: string, at: number, end: number): string {
  const first = item.charCodeAt(at);
  return first === listStart || first === objectStart ? item.charAt(at) : item.slice(at, end);
}

/** The text of the value that begins at a position of an item, which may be `missing`. Most values are numbers. */
export function textAt(item: string, start: number, characters: number): string {
  return start !== missing && beginsNumber(item.charCodeAt(start))
    ? encodeNumber(item.slice(start, skipValue(item, start)))
    : encodeValue(valueAt(item, start), characters).text;
}

/** The position of the key in an entry whose middle part begins at `at`, or of the encoded element before it. */
export function afterMark(entry: string, at: number): { readonly at: number; readonly isElement: boolean } {
  return { at: at + 1, isElement: entry[at] === ofElement };
}

/** The beginnings of the middle parts of all items that may fulfil a condition on the elements of a list. */
export interface ElementParts {
  /** Of those that fulfil it, or also of others if it is not exact. */
  readonly element: string;
  readonly isExact: boolean;
  /** Of those that must be read, if there are any. */
  readonly others: readonly string[];
}

export function partsOf(
  { finds }: Operator,
  operand: JsonValue,
  characters: number,
): ElementParts | undefined {
  if (finds === undefined) return undefined;
  const { text, isExact } = encodeValue(sortValueOf(operand), characters);
  const isContainer = operand instanceof Map || Array.isArray(operand);
  return {
    element: ofElement + text,
    isExact: isExact && !isContainer,
    others: finds === 'elements' ? [ofMany] : [ofMany, ofString],
  };
}
