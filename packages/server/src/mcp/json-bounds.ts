/** The service reads nothing that is deeper, whatever is around an item. */
const maxDepth = 108;
/** The most values that an item of a request may have (docs/http.md#all-limits). Here a whole message may have no more. */
export const maxValues = 204_800;
const maxIdCharacters = 1000;

/**
 * What breaks a rule in a text of JSON. It is looked for before the text is read: on their way to the service, which would
 * refuse them, 15 MB of zeros became 1.3 GB.
 */
export function boundsProblem({ depth, values }: ReturnType<typeof outlineOf>): string | undefined {
  if (depth > maxDepth) return `nested more than ${maxDepth} deep`;
  return values > maxValues ? `more than ${maxValues} JSON values` : undefined;
}

/** What can be said of a text without making its values. Of a text that is no JSON, nothing is certain. */
export function outlineOf(json: string) {
  let depth = 0;
  let deepest = 0;
  /** The number of values, lists and objects included. */
  let values = 1;
  let isFirst = false;
  let name = '';
  let idStart: number | undefined;
  /** Of a message. */
  let id: string | number | null = null;
  for (let at = 0; at < json.length; at++) {
    const char = json[at] as string;
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') continue;
    const isEnd = char === '}' || char === ']';
    if (isFirst && !isEnd) values++;
    isFirst = char === '{' || char === '[';
    if (isFirst) deepest = Math.max(deepest, ++depth);
    else if (char === ',') values++;
    else if (char === '"') {
      const start = at;
      at = endOfString(json, at);
      name = json.slice(start, Math.min(at + 1, start + maxIdCharacters));
    } else if (char === ':' && depth === 1 && name === '"id"') idStart = at + 1;
    if (idStart !== undefined && depth === 1 && (isEnd || char === ',')) {
      id = idIn(json.slice(idStart, Math.min(at, idStart + maxIdCharacters)));
      idStart = undefined;
    }
    if (isEnd) depth--;
  }
  return { depth: deepest, values, id };
}

function endOfString(json: string, start: number): number {
  let end = start;
  do {
    end = json.indexOf('"', end + 1);
    if (end === -1) return json.length;
  } while (isEscaped(json, end));
  return end;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === '\\') before--;
  return (at - before) % 2 === 0;
}

function idIn(json: string): string | number | null {
  try {
    const id: unknown = JSON.parse(json);
    return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
  } catch {
    return null;
  }
}
