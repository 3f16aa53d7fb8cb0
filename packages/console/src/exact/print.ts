import { type Attribute, kindOf, readAttributes, readElements } from './scan.js';

/** JSON text with line breaks and indents of two spaces. Numbers, strings and the order of attributes stay as they are. */
export function indent(json: string, level = 0): string {
  const inner = '  '.repeat(level + 1);
  const outer = '  '.repeat(level);
  const kind = kindOf(json);
  if (kind === 'object') {
    const lines = readAttributes(json).map(
      ([name, value]) => `${inner}${JSON.stringify(name)}: ${indent(value, level + 1)}`,
    );
    return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${outer}}`;
  }
  if (kind === 'list') {
    const lines = readElements(json).map((value) => inner + indent(value, level + 1));
    return lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n${outer}]`;
  }
  return json;
}

/** JSON text without white space between its tokens. */
export function compact(json: string): string {
  const text = json.trim();
  const kind = kindOf(text);
  if (kind === 'object')
    return writeObject(readAttributes(text).map(([name, value]) => [name, compact(value)]));
  return kind === 'list' ? `[${readElements(text).map(compact).join(',')}]` : text;
}

/** The JSON text of an object with these attributes, in their order. */
export function writeObject(attributes: Iterable<Attribute>): string {
  return `{${Array.from(attributes, ([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

/** The error of a text that is not JSON, for people; undefined if it is JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (cause) {
    return (cause as Error).message;
  }
}
