// Reads JSON without changing it. `JSON.parse` would round numbers (`1.50`, 12345678901234567) and reorder attributes
// (`{"10":1,"2":2}`), so items stay the text that the service sent, and these functions find the parts of that text.
// The text must be valid JSON.

/** The kinds of JSON values, in the words of the service's documentation. */
export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object';

/** An attribute of an object: its name, and the JSON text of its value. */
export type Attribute = readonly [name: string, json: string];

const number = /-?\d[\d.eE+-]*/y;
const space = /[ \t\r\n]*/y;

/** The kind of a value by its JSON text without leading white space. */
export function kindOf(json: string): Kind {
  const first = json.charCodeAt(0);
  if (first === 0x22) return 'string';
  if (first === 0x7b) return 'object';
  if (first === 0x5b) return 'list';
  if (first === 0x6e) return 'null';
  return first === 0x74 || first === 0x66 ? 'boolean' : 'number';
}

/** The attributes of an object, in their order. */
export function readAttributes(text: string): Attribute[] {
  const attributes: Attribute[] = [];
  let next = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[next] !== '}') {
    const nameEnd = skipString(text, next);
    const name = JSON.parse(text.slice(next, nameEnd)) as string;
    const from = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const to = skipValue(text, from);
    attributes.push([name, text.slice(from, to)]);
    next = skipSpace(text, to);
    if (text[next] === ',') next = skipSpace(text, next + 1);
  }
  return attributes;
}

/** The JSON texts of the elements of a list. */
export function readElements(text: string): string[] {
  const elements: string[] = [];
  let next = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[next] !== ']') {
    const to = skipValue(text, next);
    elements.push(text.slice(next, to));
    next = skipSpace(text, to);
    if (text[next] === ',') next = skipSpace(text, next + 1);
  }
  return elements;
}

/** The JSON text of one attribute of an object, or undefined. */
export function readAttribute(text: string, name: string): string | undefined {
  return readAttributes(text).findLast(([own]) => own === name)?.[1];
}

function skipSpace(text: string, at: number): number {
  space.lastIndex = at;
  space.test(text);
  return space.lastIndex;
}

/** The place after the value that begins at `at`. */
function skipValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return skipString(text, at);
  if (first === '{' || first === '[') return skipNested(text, at);
  if (first === 't' || first === 'n') return at + 4;
  if (first === 'f') return at + 5;
  number.lastIndex = at;
  number.test(text);
  return number.lastIndex;
}

function skipString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes is before this place. */
export function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

const bracketOrQuote = /["[\]{}]/g;

function skipNested(text: string, at: number): number {
  let depth = 0;
  bracketOrQuote.lastIndex = at;
  for (;;) {
    const found = bracketOrQuote.exec(text)?.[0];
    if (found === undefined) return text.length;
    if (found === '"') bracketOrQuote.lastIndex = skipString(text, bracketOrQuote.lastIndex - 1);
    else if (found === '{' || found === '[') depth++;
    else if (--depth === 0) return bracketOrQuote.lastIndex;
  }
}
