import { hasControlCharacter } from '../lib/control-characters.js';

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
