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

/** Whether an odd number of backslashes is before this place. */
function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}
