import { minus, nine, zero } from '../../json/characters.js';

/** The codes of the characters that the values of stored items begin with, end with, and are separated by. */
export { comma, listEnd, listStart, objectEnd, objectStart, quote } from '../../json/characters.js';

/** Whether a number begins with this character. */
export function beginsNumber(code: number): boolean {
  return code === minus || (code >= zero && code <= nine);
}
