/**
 * Unicode simple case folding (docs/http.md#query-conditions): each code point becomes one code point, and two texts
 * are alike without regard to case if their foldings are equal. JavaScript has no function for it, only its regular
 * expressions with the flags `iu`; these take time in proportion to the product of pattern and text. So each code point
 * is folded by its upper and then its lower case, which a test compares with the regular expressions for all of Unicode.
 */

/** Where upper and lower case say something else: ı and İ have no simple folding, and three pairs only have a full one. */
const exceptions = new Map([
  [0x130, 0x130],
  [0x131, 0x131],
  [0x1fd3, 0x390],
  [0x1fe3, 0x3b0],
  [0xfb05, 0xfb06],
]);

export function foldCodePoint(point: number): number {
  const exception = exceptions.get(point);
  if (exception !== undefined) return exception;
  const upper = onlyCodePoint(String.fromCodePoint(point).toUpperCase()) ?? point;
  return onlyCodePoint(String.fromCodePoint(upper).toLowerCase()) ?? upper;
}

/** Undefined: several, which is full case mapping (`ß` becomes `SS`). */
function onlyCodePoint(text: string): number | undefined {
  const point = text.codePointAt(0) as number;
  return text.length === (point > lastOfOneUnit ? 2 : 1) ? point : undefined;
}

const lastOfOneUnit = 0xffff;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ascii = /^[\x00-\x7f]*$/;

/** Of each unit of UTF-16 its folding plus one, once it is known: a text has few different ones. */
const known = new Uint32Array(lastOfOneUnit + 1);

/** The folding of a well-formed text. It has as many units of UTF-16 as the text. */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  const units = Buffer.allocUnsafe(2 * text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit <= 0xdbff;
    if (isPair) {
      const folded = String.fromCodePoint(foldCodePoint(text.codePointAt(at) as number));
      units.writeUInt16LE(folded.charCodeAt(0), 2 * at);
      at++;
      units.writeUInt16LE(folded.charCodeAt(1), 2 * at);
      continue;
    }
    if (known[unit] === 0) known[unit] = foldCodePoint(unit) + 1;
    units.writeUInt16LE((known[unit] as number) - 1, 2 * at);
  }
  return units.toString('utf16le');
}
