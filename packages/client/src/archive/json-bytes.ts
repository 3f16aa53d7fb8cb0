/** Bytes that JSON and its lines are made of. */
export const newline = 0x0a;
export const carriageReturn = 0x0d;
export const comma = 0x2c;
export const quote = 0x22;
export const backslash = 0x5c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
