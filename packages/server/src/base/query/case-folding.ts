/**
 * Unicode simple case folding (docs/http.md#query-conditions). Each code point becomes one code point; two texts are
 * equal without regard to case if their foldings are equal. JavaScript has no function for it. Its regular expressions
 * with the flags `iu` use it, but their time is proportional to the product of pattern and text. Therefore each code
 * point is converted to upper case and then to lower case. A test compares this with the regular expressions for all of
 * Unicode.
 */

/**
 * The code points for which upper and lower case give another result. ı and İ have no simple folding; three pairs have
 * only a full one.
 */
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

/**
 * Gives the only code point of the text. Gives undefined if there are several, which happens in full case mapping (`ß`
 * becomes `SS`).
 */
function onlyCodePoint(text: string): number | undefined {
  const point = text.codePointAt(0) as number;
  return text.length === (point > lastOfOneUnit ? 2 : 1) ? point : undefined;
}

const lastOfOneUnit = 0xffff;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ascii = /^[\x00-\x7f]*$/;

/** The folding plus one of each UTF-16 code unit, once it was computed. A text has few different code units. */
const known = new Uint32Array(lastOfOneUnit + 1);

/** Gives the folding of a well-formed text. It has as many UTF-16 code units as the text. */
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
