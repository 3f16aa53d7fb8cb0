import { isEscaped } from './scan.js';

/** Characters of JSON text that one character of a string takes at most: an escape. */
const longestEscape = 6;
/** An escape that was cut, or the first half of a pair of surrogates. */
const cutAtEnd = /\\(?:u[\da-fA-F]{0,3})?$|[\ud800-\udbff]$/;

/** Up to `length` characters of a string, given as JSON text, of which not more than needed is read. */
export function startOfString(json: string, length: number): string {
  if (json.length <= length * longestEscape) return (JSON.parse(json) as string).slice(0, length);
  const start = json
    .slice(0, length * longestEscape)
    .replace(cutAtEnd, (cut, at: number) => (isEscaped(json, at) ? cut : ''));
  return (JSON.parse(`${start}"`) as string).slice(0, length);
}
