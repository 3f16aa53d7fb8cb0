import { randomBytes } from 'node:crypto';
import { readPlainJson } from '../json/plain.js';

// JavaScript rewrites numbers: 1.50 becomes 1.5, and 9007199254740993 becomes 9007199254740992. On its way through
// this process, such a number is a string: this mark and its digits. Nobody outside knows the mark, so no stored string
// can begin with it.
const mark = randomBytes(16).toString('hex');
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const markedNumber = new RegExp(`"${mark}([^"]*)"`, 'g');
/** A 64-bit float has every number of up to this many significant digits. */
const floatDigits = 15;

/** Reads JSON; numbers that JavaScript would rewrite become marked strings. Throws `JsonError`. */
export function readExact(text: string): unknown {
  return readPlainJson(text, (number) =>
    String(Number(number)) === number ? Number(number) : `${mark}${number}`,
  );
}

/** Writes JSON; marked strings become the numbers that they were. */
export function writeExact(value: unknown): string {
  return unmarkNumbers(JSON.stringify(value));
}

/** `fetch` for items: numbers that JavaScript would rewrite arrive as marked strings, and leave as numbers. */
export const fetchExactly: typeof fetch = async (input, init = {}) => {
  const { body } = init;
  const sent = typeof body === 'string' ? { ...init, body: unmarkNumbers(body) } : init;
  const answer = await fetch(input, sent);
  const { status, headers } = answer;
  return new Response(markNumbers(await answer.text()), { status, headers });
};

/**
 * The paths of the numbers in a value that was not read by `readExact` and may have lost digits: integers beyond
 * 2^53 - 1, and numbers of more than 15 significant digits.
 */
export function* inexactNumbers(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'number' && !isCertain(value)) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* inexactNumbers(member, [...path, name]);
}

function isCertain(number: number): boolean {
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) return false;
  const digits = String(number).replace(/e.*/, '').replaceAll(/[^\d]/g, '').replace(/^0+/, '');
  return digits.replace(/0+$/, '').length <= floatDigits;
}

function markNumbers(text: string): string {
  return text.replace(stringOrNumber, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${mark}${token}"`,
  );
}

function unmarkNumbers(text: string): string {
  return text.includes(mark) ? text.replace(markedNumber, '$1') : text;
}
