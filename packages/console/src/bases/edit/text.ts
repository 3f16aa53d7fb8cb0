import { compact, jsonProblem } from '../../exact/print.js';
import { type Kind, kindOf } from '../../exact/scan.js';

/** What the text of an editor means: a value as JSON text, or what is wrong with it. */
export type Edited = { readonly json: string } | { readonly problem: string };

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const nothing: Edited = { problem: 'There is no value' };

/** A value of each kind that says nothing, as JSON text. */
export const blanks: Readonly<Record<Kind, string>> = {
  string: '""',
  number: '0',
  boolean: 'false',
  null: 'null',
  list: '[]',
  object: '{}',
};

/** A value as the text that an editor shows: a string without its quotes, everything else as it is stored. */
export function textOf(json: string): string {
  return kindOf(json) === 'string' ? (JSON.parse(json) as string) : json;
}

/** The value of a text that was edited. A number keeps the digits that were typed. */
export function readText(kind: Kind, text: string): Edited {
  const trimmed = text.trim();
  switch (kind) {
    case 'string':
      return { json: JSON.stringify(text) };
    case 'null':
      return { json: 'null' };
    case 'number':
      return readNumber(trimmed);
    case 'boolean':
      return trimmed === 'true' || trimmed === 'false'
        ? { json: trimmed }
        : { problem: 'Either true or false' };
    default:
      return readNested(kind, trimmed);
  }
}

/** The magnitude is that of a 64-bit float (docs/http.md#numbers). */
function readNumber(text: string): Edited {
  if (!number.test(text)) return { problem: 'Not a number, such as 42, -1.5 or 1e3' };
  const isZero = /^-?[0.]+(e|$)/i.test(text);
  const isTooSmall = Number(text) === 0 && !isZero;
  if (!Number.isFinite(Number(text)) || isTooSmall)
    return { problem: `Too ${isTooSmall ? 'small' : 'large'} for a number: choose the type string` };
  return { json: text };
}

function readNested(kind: Kind, text: string): Edited {
  if (text === '') return nothing;
  const problem = jsonProblem(text);
  if (problem !== undefined) return { problem };
  if (kindOf(text) !== kind) return { problem: kind === 'list' ? 'Not a list: […]' : 'Not an object: {…}' };
  return { json: compact(text) };
}

/** The kind of a value that is typed where there was none. */
export function guessKind(text: string): Kind {
  const trimmed = text.trim();
  if (number.test(trimmed)) return 'number';
  if (trimmed === 'true' || trimmed === 'false') return 'boolean';
  if (trimmed === 'null') return 'null';
  return /^[[{]/.test(trimmed) && jsonProblem(trimmed) === undefined ? kindOf(trimmed) : 'string';
}
