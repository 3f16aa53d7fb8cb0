/** The codes of the characters of JSON: the same as UTF-16 code units and as bytes of UTF-8. */
export const quote = 0x22;
export const plus = 0x2b;
export const comma = 0x2c;
export const minus = 0x2d;
export const point = 0x2e;
export const zero = 0x30;
export const nine = 0x39;
export const colon = 0x3a;
export const largeE = 0x45;
export const listStart = 0x5b;
export const backslash = 0x5c;
export const listEnd = 0x5d;
export const smallE = 0x65;
export const smallU = 0x75;
export const objectStart = 0x7b;
export const objectEnd = 0x7d;

/** Whether a number begins with this character. */
export function beginsNumber(code: number): boolean {
  return code === minus || (code >= zero && code <= nine);
}
