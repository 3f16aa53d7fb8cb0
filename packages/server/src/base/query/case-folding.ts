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

/**
 * The foldings of the code points of each block of 256, once one of them was needed: null if the block has no case, as
 * nearly all blocks have none. A text has few different blocks, and all of Unicode takes 100 KB.
 */
const blocks: (Uint32Array | null | undefined)[] = [];
const blockBits = 8;
const blockPoints = 1 << blockBits;

/** A code point of two units has half of its bits in each. */
const firstHigh = 0xd800;
const lastHigh = 0xdbff;
const firstLow = 0xdc00;
const halfBits = 10;
const halfMask = 0x3ff;

function knownFolding(point: number): number {
  const index = point >> blockBits;
  let block = blocks[index];
  if (block === undefined) {
    block = foldingsFrom(index << blockBits);
    blocks[index] = block;
  }
  return block === null ? point : (block[point & (blockPoints - 1)] as number);
}

function foldingsFrom(first: number): Uint32Array | null {
  const points = Uint32Array.from({ length: blockPoints }, (_, n) => first + n);
  // Both conversions of the whole block take as long as those of two code points.
  const text = String.fromCodePoint(...points);
  return text.toUpperCase() === text && text.toLowerCase() === text ? null : points.map(foldCodePoint);
}

/** Gives the folding of a well-formed text. It has as many UTF-16 code units as the text. */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  const bytes = Buffer.allocUnsafe(2 * text.length);
  let end = 0;
  // Written byte by byte: a method of Buffer for each unit takes four times as long.
  const write = (unit: number) => {
    bytes[end++] = unit & 0xff;
    bytes[end++] = unit >> 8;
  };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < firstHigh || unit > lastHigh) {
      write(knownFolding(unit));
      continue;
    }
    const beyond = ((unit - firstHigh) << halfBits) + text.charCodeAt(++at) - firstLow;
    const folded = knownFolding(beyond + lastOfOneUnit + 1) - lastOfOneUnit - 1;
    write(firstHigh + (folded >> halfBits));
    write(firstLow + (folded & halfMask));
  }
  return bytes.toString('utf16le');
}
