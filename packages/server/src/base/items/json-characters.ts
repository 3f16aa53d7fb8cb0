/** The codes of the characters that the values of stored items begin with, end with, and are separated by. */
export const quote = 0x22;
export const comma = 0x2c;
export const listStart = 0x5b;
export const listEnd = 0x5d;
export const objectStart = 0x7b;
export const objectEnd = 0x7d;

const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

/** Whether a number begins with this character. */
export function beginsNumber(code: number): boolean {
  return code === minus || (code >= zero && code <= nine);
}
