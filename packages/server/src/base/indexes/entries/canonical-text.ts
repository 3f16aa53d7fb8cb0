import { beginsNumber, comma, listEnd, listStart, objectEnd, objectStart } from '../../../json/characters.js';
import { skipString, skipValue } from '../../items/path-tree.js';
import { encodeNumber } from './value-encoding.js';

/** A canonical text, and where the value that it is of ends in the item. */
interface Canonical {
  readonly text: string;
  readonly end: number;
}

/** So many characters are copied as fast as they are put together with `+`. */
const mostShort = 64;

interface Member {
  readonly name: string;
  readonly text: string;
}

/** Gives the canonical text of the value that begins at one of the positions of a reader. */
export type CanonicalTextAt = (at: number) => string;

/**
 * Makes a function that gives a text which the value that begins at a position of a stored item has in common with those
 * values that are equal to it, and with no others (docs/http.md#query-conditions): numbers are compared by their value,
 * objects without their order. It gives those of the positions `starts`.
 *
 * Each character is read once, however deep it is, and also if one of these values is within another. Texts are put
 * together with `+`, which copies nothing until the whole is read: else each level would copy all of those within it.
 */
export function createCanonicalReader(json: string, starts: Iterable<number>): CanonicalTextAt {
  const known = new Map<number, Canonical | undefined>();
  for (const start of starts) known.set(start, undefined);

  function canonicalAt(at: number): Canonical {
    const first = json.charCodeAt(at);
    if (first === listStart || first === objectStart) {
      const before = known.get(at);
      if (before !== undefined) return before;
      const container = first === listStart ? listAt(at) : objectAt(at);
      if (known.has(at)) known.set(at, container);
      return container;
    }
    const end = skipValue(json, at);
    const text = json.slice(at, end);
    // Stored JSON writes a string, a boolean and null in one way only.
    return { text: beginsNumber(first) ? numberText(text) : text, end };
  }

  function listAt(start: number): Canonical {
    if (json.charCodeAt(start + 1) === listEnd) return { text: '[]', end: start + 2 };
    let all = '[';
    // One `+` for many short texts takes a third of the time and memory of one for each.
    let short: string[] = [];
    for (let at = start + 1; ; ) {
      const { text, end } = canonicalAt(at);
      if (text.length <= mostShort) short.push(text);
      else {
        if (short.length > 0) all = withElements(all, short.join());
        all = withElements(all, text);
        short = [];
      }
      if (json.charCodeAt(end) !== comma) {
        if (short.length > 0) all = withElements(all, short.join());
        return { text: `${all}]`, end: end + 1 };
      }
      at = end + 1;
    }
  }

  function objectAt(start: number): Canonical {
    if (json.charCodeAt(start + 1) === objectEnd) return { text: '{}', end: start + 2 };
    const members: Member[] = [];
    for (let at = start + 1; ; ) {
      const nameEnd = skipString(json, at);
      const { text, end } = canonicalAt(nameEnd + 1);
      members.push({ name: json.slice(at, nameEnd), text });
      if (json.charCodeAt(end) !== comma) return { text: sortedText(members), end: end + 1 };
      at = end + 1;
    }
  }

  return (at) => canonicalAt(at).text;
}

function withElements(list: string, elements: string): string {
  return list === '[' ? list + elements : `${list},${elements}`;
}

/** No quoted name is the beginning of another one, so the order of the names is that of the texts of the members. */
function sortedText(members: Member[]): string {
  members.sort((a, b) => (a.name < b.name ? -1 : 1));
  let all = '{';
  for (const { name, text } of members) all += `${all === '{' ? '' : ','}${name}:${text}`;
  return `${all}}`;
}

/** A list may have 200,000 numbers of up to this many characters. There are fewer than 2,000 different ones. */
const shortCharacters = 3;
const shortTexts = new Map<string, string>();

function numberText(number: string): string {
  if (number.length > shortCharacters) return encodeNumber(number);
  const known = shortTexts.get(number);
  if (known !== undefined) return known;
  const text = encodeNumber(number);
  shortTexts.set(number, text);
  return text;
}
