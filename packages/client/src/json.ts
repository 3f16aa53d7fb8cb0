import { invalid } from './error.js';
import { randomText } from './random-text.js';

/** JSON, with BigInts as the integers that they are. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A BigInt, most likely: they go in as marked texts, and the marks and quotes are taken away afterwards.
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

const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const integer = /^-?\d{16,}$/;

/** Reads JSON; with `bigint`, integers beyond ±(2^53 - 1) come as BigInts, every digit kept. Throws SyntaxError. */
export function readJson(text: string, bigint = false): unknown {
  if (!bigint || !/\d{16}/.test(text)) return JSON.parse(text);
  let mark = randomText(16);
  while (text.includes(mark)) mark = randomText(16);
  const marked = text.replace(textOrNumber, (token) =>
    integer.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token,
  );
  return JSON.parse(marked, (_, member: unknown) =>
    typeof member === 'string' && member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member,
  );
}
