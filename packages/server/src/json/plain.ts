import { parseJson, writtenHere } from './parse.js';
import { JsonNumber, type JsonValue } from './value.js';

/**
 * Reads JSON into plain objects and lists; `numberOf` says what stands for a number, of its text. `JSON.parse` rounds numbers, and
 * takes some names with escapes for others in Node 24 and 26 (nodejs/node#63785). Throws `JsonError`.
 */
export function readPlainJson(text: string, numberOf: (text: string) => unknown = Number): unknown {
  return plain(parseJson(Buffer.from(text), writtenHere), numberOf);
}

/** `JSON.stringify` of plain values, in which a BigInt is written as an integer. */
export function writePlainJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(writePlainJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writePlainJson(member)}`).join(',')}}`;
}

function plain(value: JsonValue, numberOf: (text: string) => unknown): unknown {
  if (value instanceof JsonNumber) return numberOf(value.text);
  if (Array.isArray(value)) return value.map((element) => plain(element, numberOf));
  if (!(value instanceof Map)) return value;
  // An assignment would lose the name `__proto__`.
  return Object.fromEntries(Array.from(value, ([name, member]) => [name, plain(member, numberOf)]));
}
