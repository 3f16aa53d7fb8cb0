import { beginsNumber, comma, listEnd, listStart, objectEnd, objectStart } from '../items/json-characters.js';
import { skipString, skipValue } from '../items/locate.js';
import { encodeNumber } from './value-encoding.js';

/**
 * A text that the value which begins at `at` in a stored item has in common with those values that are equal to it, and
 * with no others (docs/http.md#query-conditions): numbers are compared by their value, objects without their order.
 */
export function canonicalText(json: string, at: number): string {
  const first = json.charCodeAt(at);
  if (first === listStart) return `[${elementsAt(json, at).join()}]`;
  if (first === objectStart) return `{${membersAt(json, at).sort().join()}}`;
  const text = json.slice(at, skipValue(json, at));
  // Stored JSON writes a string, a boolean and null in one way only.
  return beginsNumber(first) ? encodeNumber(text) : text;
}

function elementsAt(json: string, start: number): string[] {
  if (json.charCodeAt(start + 1) === listEnd) return [];
  const elements: string[] = [];
  for (let at = start + 1; ; ) {
    elements.push(canonicalText(json, at));
    const end = skipValue(json, at);
    if (json.charCodeAt(end) !== comma) return elements;
    at = end + 1;
  }
}

function membersAt(json: string, start: number): string[] {
  if (json.charCodeAt(start + 1) === objectEnd) return [];
  const members: string[] = [];
  for (let at = start + 1; ; ) {
    const nameEnd = skipString(json, at);
    members.push(`${json.slice(at, nameEnd)}:${canonicalText(json, nameEnd + 1)}`);
    const end = skipValue(json, nameEnd + 1);
    if (json.charCodeAt(end) !== comma) return members;
    at = end + 1;
  }
}
