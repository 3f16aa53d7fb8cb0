import {
  beginsNumber,
  comma,
  listEnd,
  listStart,
  objectEnd,
  objectStart,
  quote,
} from '../../json/characters.js';
import { compareNumbers } from '../../json/number.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.js';
import { skipString, skipValue } from '../items/path-tree.js';

const different = -1;
/** Canonical JSON writes one character with at most this many. */
const longestEscape = 6;

/**
 * Whether the value that begins at `at` equals the operand: same type and same value, compared deeply. The order of
 * attributes does not matter; that of lists does (docs/http.md#query-conditions). The text is read only up to the first
 * difference, and so is the operand: a short value takes a short time, however large the operand is.
 */
export function isEqualAt(json: string, at: number, operand: JsonValue): boolean {
  return endOfEqual(json, at, operand) !== different;
}

/** Gives the end of the value, or `different`. */
function endOfEqual(json: string, at: number, operand: JsonValue): number {
  if (typeof operand === 'string') return endOfString(json, at, operand);
  if (operand instanceof JsonNumber) return endOfNumber(json, at, operand);
  if (Array.isArray(operand)) return endOfList(json, at, operand);
  if (operand instanceof Map) return endOfObject(json, at, operand);
  // Canonical JSON writes a boolean and null in one way only.
  const written = String(operand);
  return json.startsWith(written, at) ? at + written.length : different;
}

function endOfString(json: string, at: number, operand: string): number {
  if (json.charCodeAt(at) !== quote) return different;
  const end = skipString(json, at);
  const characters = end - at - 2;
  if (characters < operand.length || characters > longestEscape * operand.length) return different;
  // Canonical JSON writes a string in one way only.
  if (characters > operand.length) return json.startsWith(JSON.stringify(operand), at) ? end : different;
  // As many characters: what is equal has no escapes, and so no backslash.
  return json.startsWith(operand, at + 1) && !operand.includes('\\') ? end : different;
}

function endOfNumber(json: string, at: number, operand: JsonNumber): number {
  const first = json.charCodeAt(at);
  if (!beginsNumber(first)) return different;
  const end = skipValue(json, at);
  if (end - at === operand.text.length && json.startsWith(operand.text, at)) return end;
  return compareNumbers(new JsonNumber(json.slice(at, end)), operand) === 0 ? end : different;
}

function endOfList(json: string, start: number, operand: readonly JsonValue[]): number {
  if (json.charCodeAt(start) !== listStart) return different;
  if (json.charCodeAt(start + 1) === listEnd) return operand.length === 0 ? start + 2 : different;
  let at = start + 1;
  for (const [index, element] of operand.entries()) {
    const end = endOfEqual(json, at, element);
    if (end === different) return different;
    at = end + 1;
    const isLast = index === operand.length - 1;
    if (json.charCodeAt(end) !== (isLast ? listEnd : comma)) return different;
  }
  return operand.length === 0 ? different : at;
}

function endOfObject(json: string, start: number, operand: JsonObject): number {
  if (json.charCodeAt(start) !== objectStart) return different;
  if (json.charCodeAt(start + 1) === objectEnd) return operand.size === 0 ? start + 2 : different;
  let at = start + 1;
  for (let members = 1; members <= operand.size; members++) {
    const nameEnd = skipString(json, at);
    const member = operand.get(nameOf(json, at, nameEnd));
    if (member === undefined) return different;
    const end = endOfEqual(json, nameEnd + 1, member);
    if (end === different) return different;
    at = end + 1;
    if (json.charCodeAt(end) === objectEnd) return members === operand.size ? at : different;
  }
  return different;
}

function nameOf(json: string, start: number, end: number): string {
  const written = json.slice(start + 1, end - 1);
  return written.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : written;
}
