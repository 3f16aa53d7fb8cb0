import { hasControlCharacter } from '../lib/control-characters.js';

const maxNameBytes = 255;

/** Gives what is wrong with the name of a base or drive, or undefined (docs/http.md#paths). */
export function collectionNameProblem(name: string): string | undefined {
  const bytes = Buffer.byteLength(name);
  if (bytes < 1 || bytes > maxNameBytes) {
    return `a base or drive has 1 to ${maxNameBytes} bytes of UTF-8, this one ${bytes}`;
  }
  return hasControlCharacter(name) ? 'control characters are not allowed' : undefined;
}
