import { randomText } from '../lib/random-text.js';
import { invalid } from './error.js';

/**
 * Writes a request as JSON, with BigInts as integers.
 * @param outerLevels number of names at the start of a path that belong to the request, not to the caller's data
 * @throws code `invalid` for a value that JSON cannot hold; for a number, the message names its attribute path
 */
export function writeJson(value: unknown, outerLevels = 0): string {
  const text = stringify(value);
  if (text === undefined) throw invalid('The data cannot be written as JSON');
  // JSON.stringify turns NaN and Infinity into `null`.
  if (text.includes('null')) refuseLostNumbers(value, [], outerLevels);
  return text;
}

/** Gives undefined for a function and the like. */
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // The data probably has a BigInt. Each BigInt is written as a marked string; then the mark and the quotes are
    // removed.
    const mark = randomText(16);
    const markBigInt = (_: string, member: unknown) =>
      typeof member === 'bigint' ? `${mark}${member}` : member;
    try {
      const text = JSON.stringify(value, markBigInt);
      return text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
    } catch (cause) {
      throw invalid(`The data cannot be written as JSON: ${(cause as Error).message}`);
    }
  }
}

/** `value` has no cycle: JSON.stringify has already accepted it. */
function refuseLostNumbers(value: unknown, path: readonly string[], outerLevels: number): void {
  const where = () => path.slice(Math.min(outerLevels, path.length - 1)).join('.');
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalid(`${where()}: ${value} cannot be stored, because JSON has no such number`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof Date && Number.isNaN(value.getTime())) {
    throw invalid(`${where()}: Invalid Date cannot be stored`);
  }
  const { toJSON } = value as { toJSON?: unknown };
  const written = typeof toJSON === 'function' ? (toJSON.call(value, path.at(-1)) as unknown) : value;
  if (typeof written === 'number') refuseLostNumbers(written, path, outerLevels);
  if (typeof written !== 'object' || written === null) return;
  for (const [name, member] of Object.entries(written)) {
    refuseLostNumbers(member, [...path, name], outerLevels);
  }
}

/** A string, with the colon of a name, or a number. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|-?\d[\d.eE+-]*/g;
const integer = /^-?\d{16,}$/;

/**
 * Reads JSON.
 * @param bigint whether integers beyond ±(2^53 - 1) become BigInts, with every digit
 * @throws SyntaxError
 */
export function readJson(text: string, bigint = false): unknown {
  if (!bigint || !/\d{16}/.test(text)) return parse(text);
  const mark = randomText(16);
  const marked = text.replace(token, (found) =>
    integer.test(found) && !Number.isSafeInteger(Number(found)) ? `"${mark}${found}"` : found,
  );
  return parse(marked, (_, member) =>
    typeof member === 'string' && member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member,
  );
}

/**
 * `JSON.parse` without a fault of V8 in Node 24 and 26 (nodejs/node#63785): a name with a backslash that was read once comes in
 * place of other names, such as a line break in place of which `\` comes. So it never reads such a name as it is.
 */
function parse(text: string, reviver?: (name: string, member: unknown) => unknown): unknown {
  if (!text.includes('\\\\')) return JSON.parse(text, reviver);
  const mark = randomText(16);
  const marked = text.replace(token, (found, start: string, colon = '') =>
    colon && start.includes('\\\\') ? `${start}${mark}"${colon}` : found,
  );
  if (marked === text) return JSON.parse(text, reviver);
  return JSON.parse(marked, (name, value: unknown) => {
    const member = reviver ? reviver(name, value) : value;
    if (!member || typeof member !== 'object' || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([named, of]) => [named.replace(mark, ''), of]));
  });
}
