/**
 * For a pattern shorter than this, the built-in search of V8 uses a simple loop. The loop makes at most this many
 * comparisons for each character of the text.
 */
const shortPattern = 7;
/** The built-in search is used if its worst case has at most this many comparisons. */
const maxComparisons = 100_000;

/**
 * Makes a test whether a text contains the pattern. In the worst case, the built-in search takes time proportional to
 * the product of both lengths (7 s for 20 KB in 400 KB). It is used while the product is small. Beyond that, the
 * algorithm of Knuth, Morris and Pratt is used, which reads each character once.
 */
export function createSubstringSearch(pattern: string): (text: string) => boolean {
  let borders: Int32Array | undefined;
  return (text) => {
    if (pattern.length > text.length) return false;
    if (pattern.length < shortPattern || pattern.length * text.length <= maxComparisons) {
      return text.includes(pattern);
    }
    borders ??= bordersOf(pattern);
    return searchLinear(text, pattern, borders);
  };
}

/** Gives for each prefix of the pattern the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at++) {
    const unit = pattern.charCodeAt(at);
    while (length > 0 && pattern.charCodeAt(length) !== unit) length = borders[length - 1] as number;
    if (pattern.charCodeAt(length) === unit) length++;
    borders[at] = length;
  }
  return borders;
}

function searchLinear(text: string, pattern: string, borders: Int32Array): boolean {
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number;
    if (pattern.charCodeAt(matched) === unit && ++matched === pattern.length) return true;
  }
  return false;
}
