import { compact, jsonProblem } from '../../exact/print.js';
import { type Kind, kindOf } from '../../exact/scan.js';

/** What the text of an editor means: a value as JSON text, or why it is none. */
export type Edited = { readonly json: string } | { readonly problem: string };

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const nothing: Edited = { problem: 'There is no value' };

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
      return number.test(trimmed) ? { json: trimmed } : { problem: 'Not a number as JSON writes it' };
    case 'boolean':
      return trimmed === 'true' || trimmed === 'false'
        ? { json: trimmed }
        : { problem: 'Either true or false' };
    default:
      return readNested(kind, trimmed);
  }
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
