import { hasControlCharacter } from '../../lib/text/control-characters.js';
import { type BrokenRule, broken } from '../../request-error.js';

const maxNameBytes = 1024;

/** The same of the name of a marker, which ends in `/`: its rules are those of a file in its folder. */
export function folderNameProblem(name: string): BrokenRule | undefined {
  return nameProblem(`${name.slice(0, -1)}_`);
}

/** The rules of one or the other, as the name ends: where both may be meant. */
export function fileOrFolderNameProblem(name: string): BrokenRule | undefined {
  return name.endsWith('/') ? folderNameProblem(name) : nameProblem(name);
}

/** Gives what is wrong with the name of a file, or undefined (docs/http.md#files-and-names). */
export function nameProblem(name: string): BrokenRule | undefined {
  if (name.trim() === '') return broken('empty', 'must not be empty or blank');
  const bytes = Buffer.byteLength(name);
  if (bytes > maxNameBytes)
    return broken('too_long', `must have at most ${maxNameBytes} bytes of UTF-8, has ${bytes}`);
  if (hasControlCharacter(name)) return broken('invalid_text', 'must not hold control characters');
  if (name.endsWith('/')) return broken('invalid_value', 'must not end with "/"');
  if (!name.isWellFormed()) return broken('invalid_text', 'must not hold lone surrogates');
  return undefined;
}
