import { hasControlCharacter } from '../lib/control-characters.js';
import { badRequest } from '../request-error.js';

const maxNameBytes = 1024;

/** Gives what is wrong with the name of a file, or undefined (docs/http.md#files-and-names). */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'must not be empty or blank';
  const bytes = Buffer.byteLength(name);
  if (bytes > maxNameBytes) return `must have at most ${maxNameBytes} bytes of UTF-8, has ${bytes}`;
  if (hasControlCharacter(name)) return 'must not hold control characters';
  if (name.endsWith('/')) return 'must not end with "/"';
  if (!name.isWellFormed()) return 'must not hold lone surrogates';
  return undefined;
}

/** Reads the name of a request. Throws a 400 `RequestError` that says what is wrong with it. */
export function readName(name: string | undefined): string {
  const problem = name === undefined ? 'is required' : nameProblem(name);
  if (name === undefined || problem !== undefined) throw badRequest(`name: ${problem}`);
  return name;
}

/** Reads `prefix` or `last` of List Files: any text that can be part of a name. An absent parameter is empty. */
export function readNamePart(parameter: string, text: string | undefined): string {
  if (text === undefined) return '';
  if (hasControlCharacter(text)) throw badRequest(`${parameter}: must not hold control characters`);
  return text;
}
