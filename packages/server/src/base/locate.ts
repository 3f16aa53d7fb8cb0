import { listIndex } from './attribute-path.js';

/**
 * Finds values in stored items without parsing them. Stored items are canonical JSON (see `json/scan.ts`), so
 * there is no white space, a name is spelled in one way, and what is no string needs no understanding to skip.
 */

/** Where a value lies in the text: from `start` up to and without `end`. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const comma = 0x2c;
const listStart = 0x5b;
const backslash = 0x5c;
const listEnd = 0x5d;
const objectStart = 0x7b;
const objectEnd = 0x7d;

/** A path ready to be looked for: each segment as a name with its quotes, and as an index if it is one. */
export interface PathPattern {
  readonly name: string;
  readonly index: number | undefined;
}

export function pathPattern(segments: readonly string[]): readonly PathPattern[] {
  return segments.map((segment) => ({
    name: JSON.stringify(segment),
    index: listIndex(segment),
  }));
}

/** The value under the path, from the value that begins at `at`; undefined when there is none. */
export function locate(json: string, pattern: readonly PathPattern[], at = 0): Slice | undefined {
  let start = at;
  for (const { name, index } of pattern) {
    const found =
      json.charCodeAt(start) === objectStart
        ? memberStart(json, start, name)
        : json.charCodeAt(start) === listStart && index !== undefined
          ? elementStart(json, start, index)
          : -1;
    if (found === -1) return undefined;
    start = found;
  }
  return { start, end: skipValue(json, start) };
}

export function locateMember(json: string, at: number, name: string): Slice | undefined {
  return locate(json, pathPattern([name]), at);
}

function memberStart(json: string, objectAt: number, name: string): number {
  let at = objectAt + 1;
  if (json.charCodeAt(at) === objectEnd) return -1;
  for (;;) {
    const nameEnd = skipString(json, at);
    if (isSame(json, at, nameEnd, name)) return nameEnd + 1;
    at = skipValue(json, nameEnd + 1);
    if (json.charCodeAt(at) !== comma) return -1;
    at++;
  }
}

function elementStart(json: string, listAt: number, index: number): number {
  let at = listAt + 1;
  if (json.charCodeAt(at) === listEnd) return -1;
  for (let n = 0; n < index; n++) {
    at = skipValue(json, at);
    if (json.charCodeAt(at) !== comma) return -1;
    at++;
  }
  return at;
}

function isSame(json: string, start: number, end: number, name: string): boolean {
  return end - start === name.length && json.startsWith(name, start);
}

/** The end of the string that begins at `at`. */
function skipString(json: string, at: number): number {
  let next = json.indexOf('"', at + 1);
  while (isEscaped(json, next)) next = json.indexOf('"', next + 1);
  return next + 1;
}

/** A backslash that is itself escaped escapes nothing. */
function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

/** The end of the value that begins at `at`. */
function skipValue(json: string, at: number): number {
  const first = json.charCodeAt(at);
  if (first === quote) return skipString(json, at);
  let next = at;
  if (first === objectStart || first === listStart) {
    let depth = 0;
    for (;;) {
      const byte = json.charCodeAt(next);
      if (byte === quote) {
        next = skipString(json, next);
        continue;
      }
      next++;
      if (byte === objectStart || byte === listStart) depth++;
      else if ((byte === objectEnd || byte === listEnd) && --depth === 0) return next;
    }
  }
  while (
    next < json.length &&
    json.charCodeAt(next) !== comma &&
    json.charCodeAt(next) !== objectEnd &&
    json.charCodeAt(next) !== listEnd
  )
    next++;
  return next;
}

/** The elements of the list that begins at `listAt`. */
export function* elementsOf(json: string, listAt: number): Generator<Slice> {
  let start = listAt + 1;
  if (json.charCodeAt(start) === listEnd) return;
  for (;;) {
    const end = skipValue(json, start);
    yield { start, end };
    if (json.charCodeAt(end) !== comma) return;
    start = end + 1;
  }
}
