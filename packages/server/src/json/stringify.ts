import { JsonNumber, type JsonValue } from './value.js';

/**
 * Canonical JSON: what `JSON.stringify` writes, with the text of every number as it came and every attribute
 * where it stood. Values that `parseJson` gives are at most its `maxDepth` deep.
 */
export function stringifyJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  if (value instanceof Map) {
    const members: string[] = [];
    for (const [name, member] of value) members.push(`${JSON.stringify(name)}:${stringifyJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return String(value);
}
