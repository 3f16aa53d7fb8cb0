import { hasControlCharacter } from '../../lib/text/control-characters.js';
import { type BrokenRule, broken } from '../../request-error.js';

const maxNameBytes = 255;

/** Gives what is wrong with the name of a base or drive, or undefined (docs/http.md#paths). */
export function collectionNameProblem(name: string): BrokenRule | undefined {
  const bytes = Buffer.byteLength(name);
  if (bytes < 1 || bytes > maxNameBytes) {
    const rule = `a base or drive has 1 to ${maxNameBytes} bytes of UTF-8, this one ${bytes}`;
    return broken(bytes === 0 ? 'empty' : 'too_long', rule);
  }
  return hasControlCharacter(name) ? broken('invalid_text', 'control characters are not allowed') : undefined;
}
