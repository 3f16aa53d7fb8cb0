import { kindOf, readAttributes, readElements } from './scan.js';

/** JSON text with line breaks and indents of two spaces. Numbers, strings and the order of attributes stay as they are. */
export function indent(json: string, level = 0): string {
  const inner = '  '.repeat(level + 1);
  const outer = '  '.repeat(level);
  const kind = kindOf(json);
  if (kind === 'object') {
    const lines = readAttributes(json).map(
      ({ name, json: value }) => `${inner}${JSON.stringify(name)}: ${indent(value, level + 1)}`,
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
  if (kind === 'object') {
    return `{${readAttributes(text)
      .map(({ name, json: value }) => `${JSON.stringify(name)}:${compact(value)}`)
      .join(',')}}`;
  }
  return kind === 'list' ? `[${readElements(text).map(compact).join(',')}]` : text;
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
